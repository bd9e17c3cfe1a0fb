import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { SETTINGS } from '../../src/config/config.ts'
import { MAX_BODY_BYTES } from '../../src/graphql/handler.ts'
import { bytesInFlight } from '../../src/http/connection.ts'
import { useTestApp } from '../support/app.ts'
import { createTenant, JOINED } from '../support/factories.ts'
import { until } from '../support/until.ts'

const BYTES = bytesInFlight({ maxHeapMb: Number(SETTINGS.POSTHORN_MAX_HEAP_MB) })

let other: string

/** 38 of these are nearly 10 MB, the limit of a response. */
const PAYLOAD = { text: 'x'.repeat(250_000) }
const PAGE = '{ events(first: 38) { nodes { id data } } }'

const posthorn = await useTestApp({ environment: {} })

beforeAll(async () => {
  other = (await createTenant(posthorn.database.prisma)).token
  for (let i = 0; i < 4; i++) await publish(10)
})

async function publish(count: number): Promise<void> {
  const { organizationId } = posthorn.tenant
  const events = Array(count).fill({ type: JOINED, data: PAYLOAD })
  await posthorn.services.publishEvents(organizationId, events)
}

const WEBHOOKS = '/api/connect/v1/webhooks'
const EVENTS = '/api/events/v1/events'

interface Hostile {
  readonly token: string
  readonly send: () => Promise<Socket>
  /** How many requests can be in flight at most. */
  readonly max: number
}

const HOSTILE: [name: string, open: () => Hostile | Promise<Hostile>][] = [
  ['bodies that an organization sends slowly', () => slowBodies(posthorn.tenant.token)],
  ['those of a portal session', async () => slowBodies(await openPortal())],
  ['those over REST', () => slowBodies(posthorn.tenant.token, WEBHOOKS, 65_536)],
  ['those that publish', () => slowBodies(posthorn.tenant.token, EVENTS, 1_048_576)],
  [
    'responses that nobody reads',
    () => {
      const { token } = posthorn.tenant
      const body = JSON.stringify({ query: PAGE })
      const send = async () => {
        const socket = await start(headOf(token, body.length) + body)
        await once(socket, 'readable')
        return socket
      }
      return { token, send, max: 6 }
    },
  ],
]

test.each(HOSTILE)('%s leave room to others', async (_, open) => {
  const { token, send, max } = await open()
  const hostile = await sendUntilRejected(send)
  expect(hostile.rejection).toMatch(/^HTTP\/1.1 429 .*\r\nretry-after: 1\r\n/is)
  await until(() => hostile.pending() <= max, 'those without room are rejected')
  expect(hostile.pending()).toBeGreaterThan(0)
  // A portal session leaves room to its own organization, too.
  for (const each of [other, posthorn.tenant.token]) {
    if (each !== token) await until(async () => (await statusOfLargest(each)) === 200, 'served')
  }
  hostile.end()
  await until(async () => (await statusOfLargest(token)) === 200, 'the room is free again')
})

function slowBodies(token: string, path?: string, length = MAX_BODY_BYTES): Hostile {
  return { token, send: () => start(`${headOf(token, length, path)}{`), max: BYTES / 4 / length }
}

async function openPortal(): Promise<string> {
  const { createPortalSession } = await posthorn.graphql(
    `mutation { createPortalSession(input: { scopes: ["webhooks:read"] }) {
      ... on CreatePortalSessionSuccess { portalSession { url } }
    } }`,
  )
  const { hash } = new URL(createPortalSession.portalSession.url)
  return new URLSearchParams(hash.slice(1)).get('token') as string
}

test('a response that is read is no longer in flight', async () => {
  for (let i = 0; i < 8; i++) {
    const { events } = await posthorn.graphql(PAGE)
    expect(events.nodes).toHaveLength(38)
  }
})

function headOf(token: string, length: number, path = '/graphql'): string {
  const lines = [`POST ${path} HTTP/1.1`, 'host: x', 'content-type: application/json']
  return `${[...lines, `authorization: Bearer ${token}`, `content-length: ${length}`].join('\r\n')}\r\n\r\n`
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

/** Sends the largest body that the caller may send. */
async function statusOfLargest(token: string): Promise<number> {
  const response = await fetch(`${posthorn.app.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({ query: '{ __typename }' }).padEnd(MAX_BODY_BYTES),
  })
  await response.text()
  return response.status
}
