/** Uses all that @posthorn/receiver exports, and prints what should be true. */
export async function check({ deduplicate, sign, verify, verifyRequest }) {
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
  const body = '{"type":"order.paid","data":"Zoë"}'
  const timestamp = String(Math.floor(Date.now() / 1000))
  const signature = await sign(secret, 'msg_1', timestamp, body)
  const headers = { 'wh-id': 'msg_1', 'wh-timestamp': timestamp, 'wh-signature': signature }
  const send = (sent) =>
    verifyRequest(
      new Request('https://receiver.example/', { method: 'POST', body: sent, headers }),
      { secret, maxBodyBytes: 100 },
    )
  const once = deduplicate()
  return JSON.stringify([
    (await verify(body, headers, secret)).ok,
    (await verify(`${body} `, headers, secret)).reason,
    (await send(body)).event.data,
    (await send(`${body} `)).reason,
    (await send('x'.repeat(101))).status,
    await once('msg_1', () => {}),
    await once('msg_1', () => {}),
  ])
}
