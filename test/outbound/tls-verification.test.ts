import { expect, onTestFinished, test } from 'vitest'
import { createTestAuthority, daysFromNow } from './certificates.ts'
import { assertAnswered, authority, openReceiver, openSender, post, TIMING } from './sending.ts'

test('several configured authorities are all trusted', async () => {
  const other = await createTestAuthority('Another authority')
  const receiver = await openReceiver()
  const elsewhere = await openReceiver(undefined, await other.issue(['receiver.test']))
  const sender = openSender({ caPem: [other.pem, authority.pem] })
  assertAnswered(await post(sender, receiver))
  assertAnswered(await post(sender, elsewhere))
})

test.each([
  [
    'certificate_expired',
    'has expired',
    () => authority.issue(['receiver.test'], { until: daysFromNow(-1) }),
  ],
  [
    'certificate_not_yet_valid',
    'is not valid yet',
    () => authority.issue(['receiver.test'], { from: daysFromNow(1) }),
  ],
  [
    'certificate_wrong_host',
    'is for another host name',
    () => authority.issue(['other.test', '127.0.0.1']),
  ],
  [
    'certificate_self_signed',
    'is self-signed',
    async () => (await createTestAuthority('Self')).self,
  ],
  [
    'certificate_unknown_authority',
    'was issued by an unknown authority, or an intermediate certificate is missing',
    async () => (await createTestAuthority('Unknown')).issue(['receiver.test']),
  ],
] as const)('%s: the request is not sent', async (code, what, issue) => {
  const receiver = await openReceiver(undefined, await issue())
  const outcome = await post(openSender(), receiver)
  const reason = `The receiver's certificate ${what}.`
  expect(outcome).toEqual({ kind: 'failed', code, reason, ...TIMING })
  expect(receiver.requests).toEqual([])
})

test('for an address in the URL, the certificate must contain the address', async () => {
  const receiver = await openReceiver()
  const byName = await openReceiver(undefined, await authority.issue(['receiver.test']))
  const sender = openSender()
  assertAnswered(await post(sender, receiver, { url: `https://127.0.0.1:${receiver.port}/` }))
  expect(await post(sender, byName, { url: `https://127.0.0.1:${byName.port}/` })).toMatchObject({
    code: 'certificate_wrong_host',
  })
})

test('the server name in TLS is the host name of the URL without a trailing dot', async () => {
  const names: (string | false | null)[] = []
  const receiver = await openReceiver((socket) => {
    names.push(socket.servername)
    socket.write('HTTP/1.1 204 No Content\r\n\r\n')
  })
  const sender = openSender()
  for (const host of ['receiver.test', 'receiver.test.', '127.0.0.1']) {
    assertAnswered(await post(sender, receiver, { url: `https://${host}:${receiver.port}/` }))
  }
  expect(names).toEqual(['receiver.test', 'receiver.test', false])
})

test('NODE_TLS_REJECT_UNAUTHORIZED does not turn verification off', async () => {
  process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0'
  onTestFinished(() => {
    delete process.env['NODE_TLS_REJECT_UNAUTHORIZED']
  })
  const receiver = await openReceiver()
  expect(await post(openSender({ caPem: [] }), receiver)).toMatchObject({ kind: 'failed' })
})
