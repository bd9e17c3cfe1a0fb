import { Agent, request } from 'undici'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Outcome } from '../../src/outbound/outcome.ts'
import { openTlsReceiver } from './raw-receivers.ts'
import {
  authority,
  certificate,
  LOOPBACK,
  openReceiver,
  openSender,
  poll,
  post,
} from './sending.ts'
import type { ReceivedRequest } from './tls-receiver.ts'

const OWN = 'HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nown'
const POISON = 'HTTP/1.1 200 OK\r\ncontent-length: 8\r\n\r\npoisoned'

/** When bytes come that belong to no answer. */
const MOMENTS: [name: string, later: ((write: () => void) => unknown) | null][] = [
  ['in the same record', null],
  ['a turn of the loop later', (write) => setImmediate(write)],
  ['1 ms later', (write) => setTimeout(write, 1)],
  ['5 ms later', (write) => setTimeout(write, 5)],
]

/** Sends surplus after the answer number `after` of each connection, and answers on it from then on only if it `goesOn`. */
async function openPoisoner(
  later: (typeof MOMENTS)[number][1],
  { after = 1, goesOn = false } = {},
) {
  const answered = new Map<number, number>()
  const receiver = await openReceiver((socket, { connection, requestLine }) => {
    const number = (answered.get(connection) ?? 0) + 1
    answered.set(connection, number)
    if ((number > after && !goesOn) || requestLine.includes('/hangs')) return
    if (number < after) socket.write(OWN)
    else if (later === null) socket.write(OWN + POISON)
    else {
      socket.write(OWN)
      later(() => socket.write(POISON))
    }
  })
  return receiver
}

function bodyOf(outcome: Outcome): string {
  return outcome.kind === 'answered' ? outcome.body.toString() : outcome.kind
}

function openAgent(): Agent {
  const agent = new Agent({
    connect: {
      ca: authority.pem,
      lookup: (_host, _options, callback) => callback(null, [LOOPBACK]),
    },
    allowH2: false,
    headersTimeout: 100,
  })
  onTestFinished(() => agent.destroy())
  return agent
}

async function bodyByUndici(dispatcher: Agent, port: number): Promise<string> {
  try {
    const options = { dispatcher, method: 'POST', body: '{}' } as const
    return await (await request(`https://receiver.test:${port}/`, options)).body.text()
  } catch (error) {
    return (error as Error).name
  }
}

function connectionsOf(requests: readonly ReceivedRequest[]): number[] {
  return requests.map(({ connection }) => connection)
}

describe.each(MOMENTS)('surplus bytes %s', (_when, later) => {
  test('never answer a request of another organization', async () => {
    const receiver = await openPoisoner(later)
    const sender = openSender({ acknowledgeTimeoutMs: 300 })
    const url = `https://receiver.test:${receiver.port}/hangs`
    const victims: Promise<Outcome>[] = []
    for (let round = 0; round < 20; round += 1) {
      const poisoning = post(sender, receiver, { organizationId: 'org_a' })
      victims.push(post(sender, receiver, { organizationId: 'org_b', url }))
      await poisoning
      victims.push(post(sender, receiver, { organizationId: 'org_b', url }))
    }
    const kinds = (await Promise.all(victims)).map(bodyOf)
    expect(new Set(kinds)).toEqual(new Set(['timed-out']))
  })

  test.each([1, 3])(
    'after %i answers close the connection, and the endpoint is used without keep-alive from then on',
    async (after) => {
      const receiver = await openPoisoner(later, { after })
      const sender = openSender({ acknowledgeTimeoutMs: 300 })
      for (let number = 0; number < after; number += 1) {
        expect(bodyOf(await post(sender, receiver))).toBe('own')
      }
      await poll(() => receiver.openConnections === 0)

      const before = receiver.connections
      for (let number = 0; number < 10; number += 1) {
        expect(bodyOf(await post(sender, receiver))).toBe('own')
      }
      const requests = receiver.requests.slice(-10)
      expect(connectionsOf(requests)).toEqual(requests.map((_, i) => before + i + 1))
      expect(new Set(requests.map(({ headers }) => headers['connection']))).toEqual(
        new Set(['close']),
      )
    },
  )

  test('are noticed among answers to every request, and from then on each delivery has its own', async () => {
    const receiver = await openPoisoner(later, { goesOn: true })
    const sender = openSender()
    const isNoticed = () => receiver.requests.at(-1)?.headers['connection'] === 'close'
    for (let number = 0; number < 200 && !isNoticed(); number += 1) await post(sender, receiver)
    expect(isNoticed()).toBe(true)
    for (let number = 0; number < 20; number += 1) {
      expect(bodyOf(await post(sender, receiver))).toBe('own')
    }
  })

  test('of one endpoint do not cost another its keep-alive', async () => {
    const poisoner = await openPoisoner(later)
    const receiver = await openReceiver()
    const sender = openSender()
    await post(sender, poisoner)
    await poll(() => poisoner.openConnections === 0)
    for (const _ of [1, 2, 3]) await post(sender, receiver)
    await post(sender, poisoner, { organizationId: 'org_2' })
    expect(receiver.connections).toBe(1)
    expect(poisoner.requests.at(-1)?.headers['connection']).toBe('keep-alive')
  })

  test('that are a body after 204 fail one delivery at most', async () => {
    const receiver = await openReceiver((socket) => {
      const answer = 'HTTP/1.1 204 No Content\r\n\r\n'
      if (later === null) socket.write(`${answer}hello`)
      else {
        socket.write(answer)
        later(() => socket.write('hello'))
      }
    })
    const sender = openSender()
    const outcomes: Outcome[] = []
    for (let number = 0; number < 50; number += 1) outcomes.push(await post(sender, receiver))
    const failed = outcomes.filter(({ kind }) => kind !== 'answered')
    expect(failed.length).toBeLessThanOrEqual(1)
    for (const outcome of failed) expect(outcome).toMatchObject({ code: 'invalid_http' })
  })
})

test.each(MOMENTS)(
  'surplus bytes %s answer no more requests of their own endpoint than undici alone lets them',
  async (_when, later) => {
    const ours = await openPoisoner(later)
    const theirs = await openPoisoner(later)
    const sender = openSender({ acknowledgeTimeoutMs: 100 })
    const agent = openAgent()
    let [taken, takenByUndici] = [0, 0]
    for (let number = 0; number < 20; number += 1) {
      if (bodyOf(await post(sender, ours)) === 'poisoned') taken += 1
      if ((await bodyByUndici(agent, theirs.port)) === 'poisoned') takenByUndici += 1
    }
    // Bytes that come after the next request was written cannot be told from its answer, and when they come is chance.
    const byChance = later === null ? 0 : 3
    expect(taken).toBeLessThanOrEqual(takenByUndici + byChance)
    if (later === null) expect(takenByUndici).toBe(0)
  },
)

test('the late answer to a request that was given up answers no other', async () => {
  let count = 0
  const receiver = await openReceiver((socket) => {
    count += 1
    const isFirst = count === 1
    setTimeout(() => socket.write(isFirst ? POISON : OWN), isFirst ? 150 : 100)
  })
  const sender = openSender({ acknowledgeTimeoutMs: 120 })
  expect(await post(sender, receiver)).toMatchObject({ kind: 'timed-out', phase: 'response' })
  const outcomes = await Promise.all(
    ['org_1', 'org_1', 'org_2'].map((organizationId) => post(sender, receiver, { organizationId })),
  )
  expect(outcomes.map(bodyOf)).toEqual(['own', 'own', 'own'])
})

test('what is there before a request was sent is not its answer, and is not waited for again and again', async () => {
  let connections = 0
  let requests = 0
  // With TLS 1.2 the receiver speaks last in the handshake, so that more can come with it.
  const hasty = await openTlsReceiver(
    { ...certificate, maxVersion: 'TLSv1.2' },
    () => {
      requests += 1
    },
    (socket) => {
      connections += 1
      socket.write(POISON)
    },
  )()
  const outcome = await post(openSender(), hasty)
  expect(outcome).toMatchObject({ kind: 'unreachable', code: 'invalid_http' })
  expect({ connections, requests }).toEqual({ connections: 1, requests: 0 })
})

test('two organizations never use one connection, nor resume the TLS session of the other', async () => {
  const resumed: boolean[] = []
  const receiver = await openReceiver((socket) => {
    resumed.push(socket.isSessionReused())
    socket.write(OWN)
  })
  const sender = openSender()
  for (const organizationId of ['org_a', 'org_b', 'org_a', 'org_b']) {
    await post(sender, receiver, { organizationId })
  }
  expect(connectionsOf(receiver.requests)).toEqual([1, 2, 1, 2])
  expect(resumed).toEqual([false, false, false, false])
})
