import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { measureBusyMs } from '../support/measure-busy.ts'
import { openTcpReceiver } from './raw-receivers.ts'
import { assertAnswered, LOOPBACK, openReceiver, openSender, post } from './sending.ts'
import { OK } from './tls-receiver.ts'

const lookupIn = (ms: number) => async () => {
  await sleep(ms)
  return [LOOPBACK]
}

test('a request on a new connection has the times of the look-up, of TCP and of TLS', async () => {
  const receiver = await openReceiver((socket) => setTimeout(() => socket.write(OK), 60))
  const outcome = await post(openSender({ lookup: lookupIn(40) }), receiver)
  assertAnswered(outcome)
  expect(outcome.connection).toEqual({
    lookupMs: expect.any(Number),
    connectMs: expect.any(Number),
    tlsMs: expect.any(Number),
  })
  const { lookupMs = 0, connectMs, tlsMs } = outcome.connection ?? {}
  expect(lookupMs).toBeGreaterThanOrEqual(39)
  expect(lookupMs + (connectMs ?? 0) + (tlsMs ?? 0)).toBeLessThanOrEqual(outcome.firstByteMs - 50)
})

test('a request on a reused connection has no such times', async () => {
  const receiver = await openReceiver()
  const sender = openSender()
  assertAnswered(await post(sender, receiver))
  const outcome = await post(sender, receiver)
  assertAnswered(outcome)
  expect(outcome.connection).toBeNull()
  expect(receiver.connections).toBe(1)
})

test('a request that is sent again has the times of its second connection', async () => {
  const receiver = await openReceiver((socket, { connection }) => {
    if (connection > 1) socket.write(OK)
    else if (receiver.requests.length === 1) socket.write(OK)
    else socket.destroy()
  })
  const sender = openSender()
  assertAnswered(await post(sender, receiver))
  const outcome = await post(sender, receiver)
  assertAnswered(outcome)
  expect(outcome).toMatchObject({ resent: true, connection: { tlsMs: expect.any(Number) } })
})

test('a failed request has the times up to the phase that failed', async () => {
  const hangs = await openTcpReceiver(() => {})
  const sending = post(openSender({ connectTimeoutMs: 200 }), hangs)
  const busyMs = await measureBusyMs(sending)
  const inTls = await sending
  expect(inTls).toMatchObject({
    kind: 'timed-out',
    connection: { lookupMs: expect.any(Number), connectMs: expect.any(Number) },
  })
  expect('connection' in inTls && (inTls.connection?.tlsMs ?? 0)).toBeGreaterThan(150 - busyMs)

  const lookup = async () => {
    throw Object.assign(new Error(), { code: 'ENOTFOUND' })
  }
  const inLookup = await post(openSender({ lookup }), hangs)
  expect(inLookup).toMatchObject({
    code: 'name_not_found',
    connection: { lookupMs: expect.any(Number), connectMs: null, tlsMs: null },
  })
  const notSent = await post(openSender(), hangs, { url: 'https://10.0.0.1/' })
  expect(notSent).toMatchObject({ kind: 'refused', connection: null })
})
