import { expect, onTestFinished, test } from 'vitest'
import type { HttpSender } from '../../src/outbound/http-sender.ts'
import { DEFAULT_LIMITS } from '../../src/outbound/limits.ts'
import { startDnsServer } from './dns-server.ts'
import { openTcpReceiver } from './raw-receivers.ts'
import { assertAnswered, certificate, openReceiver, openSender, poll, post } from './sending.ts'
import { OK } from './tls-receiver.ts'

/** Deliveries of 15 organizations that never sent before: each is answered, and waits for no other organization. */
async function deliverForOthers(sender: HttpSender, port: number): Promise<void> {
  for (let number = 0; number < 15; number += 1) {
    const outcome = await post(sender, { port }, { organizationId: `other_${number}` })
    assertAnswered(outcome)
    expect(outcome.waitedMs).toBe(0)
  }
}

test('500 requests of one organization with unresolved names and hanging handshakes hold up no other organization', async () => {
  const dns = await startDnsServer((name, type) => {
    if (name.startsWith('slow')) return { failure: 'silence' }
    return type === 'A' ? { addresses: ['127.0.0.1'] } : {}
  })
  onTestFinished(() => dns[Symbol.asyncDispose]())
  let hanging = 0
  const hangs = await openTcpReceiver(() => {
    hanging += 1
  })
  const receiver = await openReceiver()
  const sender = openSender({ lookup: undefined, dnsServers: [dns.address] })

  const stop = new AbortController()
  const sending = Array.from({ length: 500 }, (_, i) => {
    const url = i % 2 ? `https://slow-${i}.test/` : `https://receiver.test:${hangs.port}/${i}`
    return post(sender, receiver, { organizationId: 'greedy', url, signal: stop.signal })
  })
  await poll(() => hanging > 10 && dns.queries.some((query) => query.includes('slow')))
  await deliverForOthers(sender, receiver.port)
  expect(hanging).toBeLessThanOrEqual(DEFAULT_LIMITS.maxConnecting)
  stop.abort()
  expect(new Set((await Promise.all(sending)).map(({ kind }) => kind))).toEqual(
    new Set(['aborted']),
  )
})

test('an organization opens no more connections at a time than allowed, and stops waiting for one after a timeout', async () => {
  let connections = 0
  const hangs = await openTcpReceiver(() => {
    connections += 1
  })
  const sender = openSender({ maxConnecting: 3, connectTimeoutMs: 600, waitTimeoutMs: 200 })
  const sent = Array.from({ length: 12 }, () => post(sender, hangs))
  const outcomes = await Promise.all(sent.slice(3))
  expect(connections).toBe(3)
  for (const outcome of outcomes) {
    expect(outcome).toEqual({
      kind: 'unreachable',
      code: 'connections_busy',
      reason:
        'Nothing was sent: the organization already had as many connections in use as Posthorn allows.',
      durationMs: 0,
      waitedMs: expect.any(Number),
      resent: false,
      connection: null,
    })
    if ('waitedMs' in outcome) expect(outcome.waitedMs).toBeGreaterThanOrEqual(199)
  }
  for (const outcome of await Promise.all(sent.slice(0, 3))) {
    expect(outcome).toMatchObject({ kind: 'timed-out', phase: 'connect', waitedMs: 0 })
  }
})

test('endpoints that hang do not block requests to endpoints with an open connection', async () => {
  const receiver = await openReceiver()
  const hangs = await openTcpReceiver(() => {})
  const sender = openSender({ maxConnecting: 2, connectTimeoutMs: 1_000 })
  assertAnswered(await post(sender, receiver))
  const hanging = Array.from({ length: 4 }, () => post(sender, hangs))
  for (const _ of [1, 2, 3]) {
    const outcome = await post(sender, receiver)
    assertAnswered(outcome)
    expect(outcome.waitedMs).toBe(0)
  }
  expect(receiver.connections).toBe(1)
  await Promise.all(hanging)
})

test('aborting a waiting request ends it without using a permit', async () => {
  const receiver = await openReceiver((socket, { requestLine }) => {
    if (!requestLine.includes('/hangs')) socket.write(OK)
  })
  const sender = openSender({ connectionsPerOrigin: 1 })
  const hanging = new AbortController()
  const url = `https://receiver.test:${receiver.port}/hangs`
  const first = post(sender, receiver, { url, signal: hanging.signal })
  await poll(() => receiver.requests.length === 1)
  const waiting = new AbortController()
  const second = post(sender, receiver, { signal: waiting.signal })
  waiting.abort()
  expect(await second).toEqual({ kind: 'aborted' })
  hanging.abort()
  expect(await first).toEqual({ kind: 'aborted' })
  assertAnswered(await post(sender, receiver))
  expect(receiver.requests).toHaveLength(2)
})

test('beyond 500 organizations, those idle for the longest time lose their connections', async () => {
  const receiver = await openReceiver(undefined, certificate)
  const sender = openSender()
  for (let number = 0; number < 520; number += 1) {
    assertAnswered(await post(sender, receiver, { organizationId: `org_${number}` }))
  }
  await poll(() => receiver.openConnections <= 500)
  assertAnswered(await post(sender, receiver, { organizationId: 'org_519' }))
  expect(receiver.connections).toBe(520)
})
