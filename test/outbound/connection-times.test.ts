import { expect, test } from 'vitest'
import { openTcpReceiver } from './raw-receivers.ts'
import { assertAnswered, openReceiver, openSender, post } from './sending.ts'

test('a request on a new connection has the times of the look-up, of TCP and of TLS, and one on a reused connection has none', async () => {
  const receiver = await openReceiver()
  const sender = openSender()
  const outcome = await post(sender, receiver)
  assertAnswered(outcome)
  expect(outcome.connection).toEqual({
    lookupMs: expect.any(Number),
    connectMs: expect.any(Number),
    tlsMs: expect.any(Number),
  })
  const reused = await post(sender, receiver)
  expect(reused).toMatchObject({ kind: 'answered', connection: null })
})

test('a failed request has the times up to the phase that failed', async () => {
  const hangs = await openTcpReceiver(() => {})
  const inTls = await post(openSender({ connectTimeoutMs: 200 }), hangs)
  expect(inTls).toMatchObject({
    code: 'connect_timed_out',
    connection: { connectMs: expect.any(Number), tlsMs: expect.any(Number) },
  })

  const lookup = async () => {
    throw Object.assign(new Error(), { code: 'ENOTFOUND' })
  }
  const inLookup = await post(openSender({ lookup }), hangs)
  expect(inLookup).toMatchObject({
    code: 'name_not_found',
    connection: { lookupMs: expect.any(Number), connectMs: null, tlsMs: null },
  })
  const notSent = await post(openSender(), hangs, { url: 'https://10.0.0.1/' })
  expect(notSent).toMatchObject({ kind: 'failed', connection: null })
})
