import { expect, test } from 'vitest'
import type { HttpSender } from '../../src/outbound/http-sender.ts'
import { openTcpReceiver, vacantPort } from './raw-receivers.ts'
import {
  assertAnswered,
  certificate,
  LOOPBACK,
  openReceiver,
  openSender,
  poll,
  post,
} from './sending.ts'

/** Deliveries of five organizations that never sent before. */
async function deliverForOthers(sender: HttpSender, port: number): Promise<void> {
  for (let number = 0; number < 5; number += 1) {
    const outcome = await post(sender, { port }, { organizationId: `other_${number}` })
    assertAnswered(outcome)
  }
}

test('600 requests of one organization with unresolved names and hanging handshakes hold up no other organization', async () => {
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
  await poll(() => hanging >= 250 && unresolved > 250)
  await deliverForOthers(sender, receiver.port)
  stop.abort()
  const kinds = (await Promise.all(sending)).map(({ kind }) => kind)
  expect(kinds).not.toContain('answered')
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
