import { expect, test } from 'vitest'
import type { HttpSender } from '../../src/outbound/http-sender.ts'
import { DEFAULT_LIMITS } from '../../src/outbound/limits.ts'
import { openFullReceiver, openTcpReceiver, vacantPort } from './raw-receivers.ts'
import {
  assertAnswered,
  certificate,
  LOOPBACK,
  openReceiver,
  openSender,
  poll,
  post,
} from './sending.ts'

/** Deliveries of five organizations that never sent before: each is answered, and waits for no other organization. */
async function deliverForOthers(sender: HttpSender, port: number): Promise<void> {
  for (let number = 0; number < 5; number += 1) {
    const outcome = await post(sender, { port }, { organizationId: `other_${number}` })
    assertAnswered(outcome)
    expect(outcome.waitedMs).toBe(0)
  }
}

test('600 requests of one organization with unresolved names and hanging handshakes hold up no other organization, and take no more connections than one origin gets', async () => {
  let hanging = 0
  let unresolved = 0
  const hangs = await openTcpReceiver(() => {
    hanging += 1
  })
  const receiver = await openReceiver()
  const sender = openSender({
    connectTimeoutMs: 600_000,
    async lookup(name) {
      if (!name.startsWith('slow')) return [LOOPBACK]
      return await new Promise(() => unresolved++)
    },
  })
  const stop = new AbortController()
  const sending = Array.from({ length: 600 }, (_, i) => {
    const url = i % 2 ? `https://slow-${i}.test/` : `https://receiver.test:${hangs.port}/${i}`
    return post(sender, receiver, { organizationId: 'greedy', url, signal: stop.signal })
  })
  await poll(() => hanging >= DEFAULT_LIMITS.connectionsPerOrigin && unresolved > 10)
  await deliverForOthers(sender, receiver.port)
  const connections = hanging
  stop.abort()
  expect(connections).toBe(DEFAULT_LIMITS.connectionsPerOrigin)
  const kinds = (await Promise.all(sending)).map(({ kind }) => kind)
  expect(kinds).not.toContain('answered')
})

test('250 requests to an origin that accepts no connection do not keep the others of the organization waiting', async () => {
  const full = await openFullReceiver()
  const receiver = await openReceiver()
  const sender = openSender({ connectTimeoutMs: 600_000 })
  const stop = new AbortController()
  const unanswered = Array.from({ length: 250 }, (_, i) =>
    post(sender, full, {
      url: `https://${i}.receiver.test:${full.port}/`,
      signal: stop.signal,
    }),
  )
  for (const outcome of await Promise.all([1, 2, 3].map(() => post(sender, receiver))))
    assertAnswered(outcome)
  stop.abort()
  for (const outcome of await Promise.all(unanswered)) expect(outcome).toEqual({ kind: 'aborted' })
})

test('beyond 500 organizations, those idle for the longest time lose their connections', async () => {
  const receiver = await openReceiver(undefined, certificate)
  const sender = openSender()
  for (let number = 0; number < 10; number += 1) {
    assertAnswered(await post(sender, receiver, { organizationId: `org_${number}` }))
  }
  // Where nothing listens, so these open no connection.
  const closed = await vacantPort()
  for (let number = 10; number < 505; number += 1) {
    await post(sender, closed, { organizationId: `org_${number}` })
  }
  await poll(() => receiver.openConnections === 5)
  assertAnswered(await post(sender, receiver, { organizationId: 'org_9' }))
  expect(receiver.connections).toBe(10)
})
