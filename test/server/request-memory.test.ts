import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { performance } from 'node:perf_hooks'
import { setTimeout } from 'node:timers/promises'
import { getIntrospectionQuery } from 'graphql'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { SETTINGS } from '../../src/config/config.ts'
import { MAX_BODY_BYTES, MAX_KEYLESS_BODY_BYTES } from '../../src/graphql/read-params.ts'
import { requestBytes } from '../../src/http/request-memory.ts'
import { startTestApp, type TestApp } from '../support/app.ts'
import { createTenant, JOINED } from '../support/factories.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { until } from '../support/until.ts'

const BYTES = requestBytes({ maxHeapMb: Number(SETTINGS.POSTHORN_MAX_HEAP_MB) })

let posthorn: TestApp
let receiver: Receiver
let other: string

/** 38 of these are nearly 10 MB, the limit of a response. */
const PAYLOAD = { text: 'x'.repeat(250_000) }
const PAGE = '{ events(first: 38) { nodes { id data } } }'

beforeAll(async () => {
  receiver = await startReceiver()
  posthorn = await startTestApp({ trustedAuthorities: [receiver.authority] })
  other = (await createTenant(posthorn.database.prisma)).token
  for (let i = 0; i < 4; i++) await publish(10)
})
afterAll(async () => {
  await posthorn[Symbol.asyncDispose]()
  await receiver[Symbol.asyncDispose]()
})

async function publish(count: number): Promise<void> {
  const { organizationId } = posthorn.tenant
  const events = Array(count).fill({ type: JOINED, data: PAYLOAD })
  await posthorn.services.publishEvents(organizationId, events)
}

test('the bodies that an organization sends slowly leave memory to others', async () => {
  const { token } = posthorn.tenant
  const slow = await sendUntilRejected(() => startBody(token, MAX_BODY_BYTES))
  expect(slow.rejection).toMatch(/^HTTP\/1.1 429 .*\r\nretry-after: 1\r\n.*RATE_LIMITED/is)
  await until(
    () => slow.pending() <= BYTES.withKey / 4 / MAX_BODY_BYTES,
    'those without room are rejected',
  )
  expect(slow.pending()).toBeGreaterThan(10)
  expect(await statusOfLargest(other)).toBe(200)
  slow.end()
  await until(async () => (await statusOfLargest(token)) === 200, 'the memory is released')
})

test('a portal session leaves memory to its organization', async () => {
  const { createPortalSession } = await posthorn.graphql(
    `mutation { createPortalSession(input: { scopes: ["webhooks:read"] }) {
      ... on CreatePortalSessionSuccess { portalSession { url } }
    } }`,
  )
  const { hash } = new URL(createPortalSession.portalSession.url)
  const token = new URLSearchParams(hash.slice(1)).get('token') as string
  const slow = await sendUntilRejected(() => startBody(token, MAX_BODY_BYTES))
  expect(slow.rejection).toContain('RATE_LIMITED')
  // The connections of the test before may still be closing.
  await until(
    async () => (await statusOfLargest(posthorn.tenant.token)) === 200,
    'the organization has memory',
  )
  slow.end()
  await until(async () => (await statusOfLargest(token)) === 200, 'the memory is released')
})

test('so do bodies over REST', async () => {
  const { token } = posthorn.tenant
  const head = [
    'POST /api/connect/v1/webhooks HTTP/1.1\r\nhost: x\r\ncontent-type: application/json',
    `authorization: Bearer ${token}\r\ncontent-length: 65536\r\n\r\n{`,
  ].join('\r\n')
  const slow = await sendUntilRejected(() => start(head))
  expect(slow.rejection).toMatch(/^HTTP\/1.1 429 .*\r\nretry-after: 1\r\n.*rate-limited/is)
  await until(() => slow.pending() <= BYTES.withKey / 4 / 65_536, 'those without room are rejected')
  slow.end()
  await until(async () => (await posthorn.rest('GET', '/webhooks')).ok, 'the memory is released')
})

test('an address without a key leaves memory to callers with a key', async () => {
  const slow = await sendUntilRejected(() => startBody(null, MAX_KEYLESS_BODY_BYTES))
  expect(slow.rejection).toMatch(/^HTTP\/1.1 429 .*\r\nretry-after: 1\r\n/is)
  await until(
    () => slow.pending() <= BYTES.withoutKey / 4 / MAX_KEYLESS_BODY_BYTES,
    'those without room are rejected',
  )
  expect(await statusOfLargest(other)).toBe(200)
  slow.end()
  await until(async () => (await introspect()).status === 200, 'the memory is released')
})

test('without a key, a body may have 64 KiB', async () => {
  const padded = (size: number) => getIntrospectionQuery().padEnd(size)
  expect((await introspect(padded(60_000))).status).toBe(200)
  const { status, body } = await introspect(padded(65_536))
  expect(status).toBe(413)
  expect(body).toContain('65,536 bytes')
})

test('a response that is not read counts for its organization, until its connection ends', async () => {
  const { token } = posthorn.tenant
  const body = JSON.stringify({ query: PAGE })
  const unread = await sendUntilRejected(async () => {
    const socket = await start(headOf(token, body.length) + body)
    // The response has begun: the rest waits until the client reads it.
    await once(socket, 'readable')
    return socket
  })
  expect(unread.rejection).toMatch(/^HTTP\/1.1 429 .*\r\nretry-after: 1\r\n/is)
  await until(() => unread.pending() <= 6, 'those without room are rejected')
  expect(await statusOfLargest(other)).toBe(200)
  unread.end()
  await until(async () => (await statusOfLargest(token)) === 200, 'the memory is released')
})

test('a response that is read counts no longer', async () => {
  for (let i = 0; i < 12; i++) {
    const { events } = await posthorn.graphql(PAGE)
    expect(events.nodes).toHaveLength(38)
  }
})

test('events that are not read end their stream, and leave memory to others', async () => {
  const created = await posthorn.rest('POST', '/webhooks', {
    url: receiver.url,
    enabled: true,
    event_subscriptions: [JOINED],
  })
  expect(created.status).toBe(201)
  const { token } = posthorn.tenant
  const fields = Array.from({ length: 38 }, (_, i) => `e${i}: event { data }`)
  const query = `subscription { attemptRecorded { delivery { ${fields.join(' ')} } } }`
  const body = JSON.stringify({ query })
  const streams = await Promise.all(
    Array.from({ length: 8 }, async () => {
      const socket = await start(headOf(token, body.length, 'text/event-stream') + body)
      await once(socket, 'readable')
      return socket
    }),
  )
  await publish(4)
  await until(
    async () =>
      (await posthorn.database.prisma.delivery.count({ where: { state: 'pending' } })) === 0,
    'the events are delivered',
  )
  await untilCalm()
  expect(await statusOfLargest(other)).toBe(200)
  const tails = streams.map(readTail)
  await until(() => tails.some(({ text }) => text.includes('SLOW_CONSUMER')), 'a stream ends')
  for (const socket of streams) socket.destroy()
  await until(async () => (await statusOfLargest(token)) === 200, 'the memory is released')
})

function headOf(token: string | null, length: number, accept = 'application/json'): string {
  const lines = ['POST /graphql HTTP/1.1', 'host: x', 'content-type: application/json']
  if (token !== null) lines.push(`authorization: Bearer ${token}`)
  return `${[...lines, `accept: ${accept}`, `content-length: ${length}`].join('\r\n')}\r\n\r\n`
}

/** Sends the head of a request and the first byte of its body. */
async function startBody(token: string | null, length: number): Promise<Socket> {
  return await start(`${headOf(token, length)}{`)
}

async function start(text: string): Promise<Socket> {
  const { hostname, port } = new URL(posthorn.app.url)
  const socket = connect(Number(port), hostname)
  onTestFinished(() => void socket.destroy())
  socket.on('error', () => {})
  await once(socket, 'connect')
  socket.write(text)
  return socket
}

/** Sends requests one after another until one is rejected, and keeps the others open. */
async function sendUntilRejected(send: () => Promise<Socket>) {
  const pending: Socket[] = []
  for (let i = 0; i < 1_000; i++) {
    pending.push(await send())
    await serveAnother()
    // Under load, an earlier request may be rejected after later ones are sent.
    const rejected = pending.findIndex((socket) => isRejected(peek(socket)))
    if (rejected === -1) continue
    const [socket] = pending.splice(rejected, 1)
    return {
      rejection: peek(socket as Socket),
      /** How many are not rejected. Those that were sent last may still be on their way. */
      pending: () => pending.filter((each) => !isRejected(peek(each))).length,
      end() {
        for (const each of pending) each.destroy()
      },
    }
  }
  throw new Error('No request was rejected.')
}

/** By its response, an earlier request has usually been rejected. */
async function serveAnother(): Promise<void> {
  await fetch(`${posthorn.app.url}/readyz`).then((response) => response.text())
}

const isRejected = (received: string) => /^HTTP\/1.1 [45]/.test(received)

/** What has arrived so far, up to the buffer of the socket: it stays there, so the rest is not read. */
function peek(socket: Socket): string {
  const chunk = socket.read()
  if (chunk === null) return ''
  socket.unshift(chunk)
  return String(chunk.subarray(0, 4_096))
}

/** Reads all of a stream. Returns the last characters so far. */
function readTail(socket: Socket): { readonly text: string } {
  const tail = { text: '' }
  socket.on('data', (chunk) => {
    tail.text = (tail.text + chunk).slice(-2_000)
  })
  return tail
}

/** Sends the largest body that a caller with a key may send. */
async function statusOfLargest(token: string): Promise<number> {
  const body = JSON.stringify({ query: '{ __typename }' }).padEnd(MAX_BODY_BYTES)
  const response = await fetch(`${posthorn.app.url}/graphql`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body,
  })
  await response.text()
  return response.status
}

/** Serializing the events keeps this process so busy that time limits end before answers are read. */
async function untilCalm(): Promise<void> {
  const calm = async () => {
    const before = performance.eventLoopUtilization()
    await setTimeout(200)
    // Time in which other processes hold the processors is no work of this one.
    return performance.eventLoopUtilization(before).utilization < 0.25
  }
  await until(calm, 'the process has time for its timers')
}

async function introspect(query = getIntrospectionQuery()) {
  const response = await fetch(`${posthorn.app.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
  })
  return { status: response.status, body: await response.text() }
}
