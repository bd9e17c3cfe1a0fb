import { describe, expect, test } from 'vitest'
import type { Outcome } from '../../src/outbound/outcome.ts'
import { openTlsReceiver } from './raw-receivers.ts'
import { certificate, openReceiver, openSender, poll, post } from './sending.ts'
import type { ReceivedRequest } from './tls-receiver.ts'

const GENUINE = 'HTTP/1.1 200 OK\r\ncontent-length: 7\r\n\r\ngenuine'
const POISON = 'HTTP/1.1 200 OK\r\ncontent-length: 8\r\n\r\npoisoned'

/** When the surplus bytes arrive after a response. */
const MOMENTS: [name: string, later: ((write: () => void) => unknown) | null][] = [
  ['in the same record', null],
  ['1 ms later', (write) => setTimeout(write, 1)],
]

/** Sends surplus bytes after response number `after` of each connection, and answers no later request. */
async function openPoisoner(later: (typeof MOMENTS)[number][1], after = 1) {
  const answered = new Map<number, number>()
  return await openReceiver((socket, { connection, requestLine }) => {
    const number = (answered.get(connection) ?? 0) + 1
    answered.set(connection, number)
    if (number > after || requestLine.includes('/hangs')) return
    if (number < after) socket.write(GENUINE)
    else if (later === null) socket.write(GENUINE + POISON)
    else {
      socket.write(GENUINE)
      later(() => socket.write(POISON))
    }
  })
}

function bodyOf(outcome: Outcome): string {
  return outcome.kind === 'answered' ? outcome.body.toString() : outcome.kind
}

function connectionsOf(requests: readonly ReceivedRequest[]): number[] {
  return requests.map(({ connection }) => connection)
}

describe.each(MOMENTS)('surplus bytes %s', (_when, later) => {
  test('never become the response to a request of another organization', async () => {
    const receiver = await openPoisoner(later)
    const sender = openSender({ acknowledgeTimeoutMs: 300 })
    const url = `https://receiver.test:${receiver.port}/hangs`
    const victims: Promise<Outcome>[] = []
    for (let round = 0; round < 8; round += 1) {
      const poisoning = post(sender, receiver, { organizationId: 'org_a' })
      victims.push(post(sender, receiver, { organizationId: 'org_b', url }))
      await poisoning
      victims.push(post(sender, receiver, { organizationId: 'org_b', url }))
    }
    const kinds = (await Promise.all(victims)).map(bodyOf)
    expect(new Set(kinds)).toEqual(new Set(['failed']))
  })

  test('close the connection and disable keep-alive for the endpoint', async () => {
    const after = 3
    const receiver = await openPoisoner(later, after)
    const sender = openSender()
    for (let number = 0; number < after; number += 1) {
      expect(bodyOf(await post(sender, receiver))).toBe('genuine')
    }
    await poll(() => receiver.openConnections === 0)

    const before = receiver.connections
    for (let number = 0; number < 3; number += 1) {
      expect(bodyOf(await post(sender, receiver))).toBe('genuine')
    }
    const requests = receiver.requests.slice(-3)
    expect(connectionsOf(requests)).toEqual(requests.map((_, i) => before + i + 1))
    expect(new Set(requests.map(({ headers }) => headers['connection']))).toEqual(
      new Set(['close']),
    )
  })
})

test('a late response to a request that timed out is not used for another request', async () => {
  let count = 0
  let writeLate = () => {}
  const receiver = await openReceiver((socket) => {
    count += 1
    if (count === 1) writeLate = () => socket.write(POISON)
    else socket.write(GENUINE)
  })
  const sender = openSender({ acknowledgeTimeoutMs: 300 })
  expect(await post(sender, receiver)).toMatchObject({ kind: 'failed', code: 'response_timed_out' })
  writeLate()
  const outcomes = await Promise.all(
    ['org_1', 'org_1', 'org_2'].map((organizationId) => post(sender, receiver, { organizationId })),
  )
  expect(outcomes.map(bodyOf)).toEqual(['genuine', 'genuine', 'genuine'])
})

test('data that arrives before the request is sent is not its response, and the sender does not reconnect repeatedly', async () => {
  let connections = 0
  let requests = 0
  // With TLS 1.2 the receiver sends the last message of the handshake, and can send data right after it.
  const early = await openTlsReceiver(
    { ...certificate, maxVersion: 'TLSv1.2' },
    () => {
      requests += 1
    },
    (socket) => {
      connections += 1
      socket.write(POISON)
    },
  )()
  const outcome = await post(openSender(), early)
  expect(outcome).toMatchObject({
    kind: 'failed',
    code: 'invalid_http',
    reason: 'The receiver sent data before it got the request.',
  })
  expect({ connections, requests }).toEqual({ connections: 1, requests: 0 })
})

test('two organizations never share a connection', async () => {
  const receiver = await openReceiver((socket) => socket.write(GENUINE))
  const sender = openSender()
  for (const organizationId of ['org_a', 'org_b', 'org_a', 'org_b']) {
    await post(sender, receiver, { organizationId })
  }
  expect(connectionsOf(receiver.requests)).toEqual([1, 2, 1, 2])
})
