import { once } from 'node:events'
import { createServer, type IncomingMessage, request } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openDatabase } from '../../src/db/client.ts'
import { createEntrance } from '../../src/http/connection.ts'
import { createPublish, MAX_PUBLISH_BYTES, PUBLISH_PATH } from '../../src/server/rest/publish-v1.ts'
import { connectV1Deps, type LogEntry } from '../server/rest/connect-v1.ts'
import { createApiKey } from '../support/api-keys.ts'
import { startTestApp, useTestApp } from '../support/app.ts'
import { createTenant, JOINED } from '../support/factories.ts'
import { listen } from '../support/listen.ts'
import { until } from '../support/until.ts'

const posthorn = await useTestApp({ role: 'api' })

interface Call {
  readonly method?: string
  readonly path?: string
  readonly headers?: Record<string, string>
  readonly token?: string | null
  readonly url?: string
}

/** Sends a request as it is, even with what `fetch` would refuse or change. */
async function call(body: unknown, options: Call = {}) {
  const { method = 'POST', path = PUBLISH_PATH, url = posthorn.app.url } = options
  const { headers = {}, token = posthorn.tenant.token } = options
  const { hostname, port } = new URL(url)
  const sent = request({ hostname, port, path, method, agent: false })
  sent.setHeader('content-type', 'application/json')
  if (token !== null) sent.setHeader('authorization', `Bearer ${token}`)
  for (const [name, value] of Object.entries(headers)) sent.setHeader(name, value)
  sent.end(typeof body === 'string' || body instanceof Buffer ? body : JSON.stringify(body))
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  const answer = await text(response)
  return {
    status: response.statusCode,
    headers: response.headers,
    // biome-ignore lint/suspicious/noExplicitAny: the type depends on the status
    answer: (answer === '' ? null : JSON.parse(answer)) as any,
  }
}

const post = (body: unknown, headers: Record<string, string> = {}, token?: string) =>
  call(body, { headers, ...(token !== undefined && { token }) })

const EVENT = { type: JOINED, data: { attendee: 1 } }

test('one event, a list of events, and a line for each event are published', async () => {
  const one = await post(EVENT)
  expect(one).toMatchObject({
    status: 201,
    answer: { id: expect.stringMatching(/^evt_/), deliveryCount: 0, duplicate: false },
  })
  const list = await post([EVENT, { ...EVENT, timestamp: '2026-01-31T12:00:00Z' }])
  expect(list.status).toBe(201)
  expect(list.answer.events).toHaveLength(2)
  const lines = `${JSON.stringify(EVENT)}\n\n${JSON.stringify({ type: JOINED, dataText: '{"a": 1.0}' })}\n`
  const streamed = await post(lines, { 'content-type': 'application/x-ndjson' })
  expect(streamed.answer.events).toHaveLength(2)
})

test('an idempotency key in the header or in the event returns the first event', async () => {
  const first = await post(EVENT, { 'idempotency-key': 'order-1' })
  const again = await post({ ...EVENT, idempotencyKey: 'order-1' })
  expect(again.answer).toEqual({ ...first.answer, duplicate: true })
  const other = await post({ ...EVENT, data: { attendee: 2 } }, { 'idempotency-key': 'order-1' })
  expect(other).toMatchObject({
    status: 409,
    answer: { errors: [{ pointer: '#/idempotencyKey' }] },
  })
  for (const body of [[EVENT, EVENT], { ...EVENT, idempotencyKey: 'order-3' }]) {
    const refused = await post(body, { 'idempotency-key': 'order-2' })
    expect(refused.status).toBe(422)
    expect(refused.answer).toMatchObject({ errors: [{ header: 'Idempotency-Key' }] })
  }
})

const countEvents = (organizationId = posthorn.tenant.organizationId) =>
  posthorn.database.prisma.event.count({ where: { organizationId } })

const keyWith = (settings: Partial<Parameters<typeof createApiKey>[1]>) =>
  createApiKey(posthorn.database.prisma, {
    organizationId: posthorn.tenant.organizationId,
    scopes: ['events:publish'],
    ...settings,
  })

const { token: READER } = await keyWith({ scopes: ['events:read'] })
const NDJSON = { 'content-type': 'application/x-ndjson' }
const LINE = JSON.stringify(EVENT)

describe('an event is published', () => {
  test.each([
    ['a slash at the end', { path: `${PUBLISH_PATH}/` }],
    ['a query', { path: `${PUBLISH_PATH}?a=1` }],
    ['the whole address', { path: `http://x${PUBLISH_PATH}` }],
    ['a charset', { headers: { 'content-type': 'Application/JSON; charset="UTF-8"' } }],
    ['no coding', { headers: { 'content-encoding': 'identity' } }],
    ['chunks in place of a length', { headers: { 'transfer-encoding': 'chunked' } }],
  ])('with %s', async (_, options) => {
    expect(await call(EVENT, options)).toMatchObject({ status: 201, answer: { duplicate: false } })
  })

  test('of the largest size, which comes in parts', async () => {
    const body = LINE.padEnd(MAX_PUBLISH_BYTES)
    expect((await post(body)).status).toBe(201)
    expect((await post(body, { 'transfer-encoding': 'chunked' })).status).toBe(201)
  })

  test('with the headers of every answer', async () => {
    const { headers } = await post(EVENT, { 'x-request-id': 'mine' })
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'cache-control': 'no-store',
      'x-request-id': 'mine',
      'content-length': expect.stringMatching(/^\d+$/),
      'ratelimit-policy': expect.stringMatching(/^"deliveries";q=\d+;w=10, "events";/),
      ratelimit: expect.stringMatching(/^"deliveries";r=\d+;t=0, "events";r=\d+;t=1$/),
    })
    expect(headers).not.toHaveProperty('location')
  })
})

describe('nothing is published', () => {
  test.each<[string, unknown, Call, number, object?]>([
    ['a body that is no JSON', '{"type":', {}, 400],
    ['an empty body', '', {}, 400],
    ['bytes that are not UTF-8', Buffer.from([0x22, 0xff, 0x22]), {}, 400],
    ['a key that cannot be read', EVENT, { headers: { 'idempotency-key': 'a b' } }, 400],
    ['no API key', EVENT, { token: null }, 401],
    ['a malformed API key', EVENT, { token: 'phk_x' }, 401],
    ['no API key, with any method', EVENT, { token: null, method: 'PUT' }, 401],
    ['an encoded path', EVENT, { path: '/api/events/v1/%65vents' }, 404],
    ['a path with two slashes', EVENT, { path: '/api/events/v1//events' }, 404],
    ['a path below', EVENT, { path: `${PUBLISH_PATH}/1` }, 404],
    ['a length over the limit', LINE.padEnd(MAX_PUBLISH_BYTES + 1), {}, 413],
    [
      'no type of the body',
      EVENT,
      { headers: { 'content-type': '' } },
      415,
      { accept: 'application/json, application/x-ndjson' },
    ],
    [
      'another charset',
      EVENT,
      { headers: { 'content-type': 'application/json; charset=latin1' } },
      415,
    ],
    [
      'a compressed body',
      EVENT,
      { headers: { 'content-encoding': 'gzip' } },
      415,
      { 'accept-encoding': 'identity' },
    ],
    ['a number', '1', {}, 422],
    ['a key without the scope', EVENT, { token: READER }, 403],
    ['no event', [], {}, 422],
    ['another type', EVENT, { headers: { 'content-type': 'text/plain' } }, 415],
    ['too many events', Array(1_001).fill(EVENT), {}, 422],
    ['too many lines', `${LINE}\n`.repeat(1_001), { headers: NDJSON }, 422],
    ['no line', '\n\n', { headers: NDJSON }, 422],
  ])('of %s', async (_, body, options, status, headers = {}) => {
    const count = await countEvents()
    const rejected = await call(body, options)
    expect(rejected).toMatchObject({
      status,
      headers: {
        'content-type': 'application/problem+json',
        'cache-control': 'no-store',
        ...headers,
      },
      answer: { status, detail: expect.stringMatching(/\.$/) },
    })
    expect(rejected.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/)
    expect(await countEvents()).toBe(count)
  })

  test.each(['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS'])('by %s', async (method) => {
    const { status, headers } = await call('', { method })
    expect([status, headers.allow]).toEqual([405, 'POST'])
  })

  test('with two API keys, of which one is right', async () => {
    const { status, headers } = await sendRaw(
      ['POST', `authorization: Bearer ${posthorn.tenant.token}`, 'authorization: Bearer x'],
      LINE,
    )
    expect([status, headers]).toEqual([401, expect.stringContaining('error="invalid_token"')])
  })

  test('if a chunked body exceeds the limit, which the client reads before it has sent the rest', async () => {
    const sent = raw(['POST', ...HEAD, 'transfer-encoding: chunked'])
    const chunk = 'x'.repeat(65_536)
    for (let i = 0; i < 20; i++) sent.write(`10000\r\n${chunk}\r\n`)
    const [data] = await once(sent, 'data')
    expect(String(data)).toMatch(/^HTTP\/1.1 413 /)
  })

  test('if the body ends early', async () => {
    const count = await countEvents()
    for (const length of ['content-length: 1000', 'transfer-encoding: chunked']) {
      const socket = raw(['POST', ...HEAD, length], '2\r\n{}\r\n')
      await once(socket, 'connect')
      socket.end()
      // Node answers the half of a request by itself.
      expect(await text(socket)).not.toMatch(/ 201 /)
    }
    expect((await post(EVENT)).status).toBe(201)
    expect(await countEvents()).toBe(count + 1)
  })
})

test('errors name the event and the field, or the line', async () => {
  const pointersOf = async (body: unknown, headers?: Record<string, string>) =>
    (await post(body, headers)).answer.errors.map(({ pointer }: { pointer: string }) => pointer)
  const wrong = [EVENT, { type: 'no.such', data: null, timestamp: 'never', extra: 1 }]
  expect(await pointersOf(wrong)).toEqual(['#/1/timestamp', '#/1/extra'])
  expect(await pointersOf([EVENT, { type: 'no.such', data: {} }])).toEqual(['#/1/type'])
  expect(await pointersOf([])).toEqual(['#'])
  expect(await pointersOf({ type: 'no.such', data: {} })).toEqual(['#/type'])
  const lines = `${LINE}\n{"type":1}\n${JSON.stringify({ ...EVENT, no: 1 })}`
  expect(await pointersOf(lines, NDJSON)).toEqual(['#/1/type', '#/2/no'])
  const broken = await post(`${LINE}\n\n{`, NDJSON)
  expect(broken).toMatchObject({
    status: 400,
    answer: { detail: expect.stringMatching(/^Line 3 is not valid JSON/) },
  })
})

describe('an operator publishes for the organization in posthorn-organization', () => {
  test('by its id', async () => {
    const { prisma } = posthorn.database
    const [{ token }, other] = [await createTenant(prisma, ['admin']), await createTenant(prisma)]
    const headers = { 'posthorn-organization': other.publicOrganizationId }
    expect((await post(EVENT, headers, token)).status).toBe(201)
    expect(await countEvents(other.organizationId)).toBe(1)
    for (const unknown of ['', 'nobody', 'org_01h455vb4pex5vsknk084sn02q']) {
      const { status, answer } = await post(EVENT, { 'posthorn-organization': unknown }, token)
      expect([status, answer.detail]).toEqual([400, expect.stringContaining('does not name')])
    }
  })

  test('and no other caller does, even for its own', async () => {
    const count = await countEvents()
    const headers = { 'posthorn-organization': posthorn.tenant.publicOrganizationId }
    const { token } = await keyWith({})
    expect(await post(EVENT, headers, token)).toMatchObject({
      status: 403,
      answer: { detail: expect.stringMatching(/needs an API key with the scope admin/) },
    })
    expect(await countEvents()).toBe(count)
  })
})

describe('429', () => {
  test.each([
    // A request that publishes counts as its events.
    ['requests', { requestsPerSecond: 1 }, '[', 400],
    ['events', { eventsPerSecond: 1 }, Array(10).fill(EVENT), 201],
  ])('over the %s of a key', async (budget, limits, body, status) => {
    const { token } = await keyWith(limits)
    let last = await post(body, {}, token)
    expect(last.status).toBe(status)
    await until(async () => {
      last = await post(body, {}, token)
      return last.status !== status
    }, 'the limit is reached')
    expect(last).toMatchObject({
      status: 429,
      headers: {
        'retry-after': expect.stringMatching(/^\d+$/),
        ratelimit: expect.stringContaining(`"${budget}";r=0;`),
      },
      answer: { detail: expect.stringContaining(`limit of 1 ${budget} per second`) },
    })
  })

  test('for an address that sends wrong keys, behind a trusted proxy', async () => {
    await using behind = await startTestApp({
      role: 'api',
      environment: { POSTHORN_TRUSTED_PROXIES: '127.0.0.1/32' },
    })
    const { url } = behind.app
    const from = (address: string, token = 'phk_x') =>
      call(EVENT, { url, token, headers: { 'x-forwarded-for': address } })
    await until(async () => (await from('203.0.113.7')).status === 429, 'the address is limited')
    expect((await from('203.0.113.8')).status).toBe(401)
    expect((await from('203.0.113.7', behind.tenant.token)).status).toBe(201)
  })
})

describe('what fails inside', () => {
  /** Serves the handler alone. */
  async function serve(
    changes: Partial<Parameters<typeof createPublish>[0]>,
    logged: LogEntry[] = [],
  ) {
    const deps = { ...connectV1Deps(posthorn.database, logged), sql: posthorn.database.pool }
    const handle = createPublish({
      ...deps,
      publishEvents: posthorn.services.publishEvents,
      entrance: createEntrance({ maxHeapMb: 192, trustedProxies: [] }),
      ...changes,
    })
    const server = createServer((incoming, outgoing) => void handle(incoming, outgoing))
    const url = `http://127.0.0.1:${await listen(server)}`
    onTestFinished(() => void server.close())
    return await call(EVENT, { url })
  }

  test('503: Postgres is unreachable', async () => {
    await using gone = openDatabase('postgres://nobody@127.0.0.1:1/nothing')
    const { authenticate } = connectV1Deps(gone)
    expect(await serve({ authenticate })).toMatchObject({
      status: 503,
      headers: { 'retry-after': '5' },
      answer: { detail: expect.stringMatching(/^The database is unreachable/) },
    })
  })

  test('500: a fault is masked, and logged whole', async () => {
    const logged: LogEntry[] = []
    const publishEvents = () => Promise.reject(new Error('a secret'))
    const { status, answer } = await serve({ publishEvents }, logged)
    expect(status).toBe(500)
    expect(JSON.stringify(answer)).not.toContain('secret')
    expect(JSON.stringify(logged)).toContain(answer.instance.replace('urn:uuid:', ''))
    expect(JSON.stringify(logged)).toContain(PUBLISH_PATH)
  })
})

const HEAD = [`authorization: Bearer ${posthorn.tenant.token}`]

/** Writes the head of a request, with its method first, and what follows. */
function raw([method, ...lines]: readonly string[], rest = '') {
  const { hostname, port } = new URL(posthorn.app.url)
  const socket = connect(Number(port), hostname)
  onTestFinished(() => void socket.destroy())
  socket.on('error', () => {})
  const head = [`${method} ${PUBLISH_PATH} HTTP/1.1`, 'host: x', 'content-type: application/json']
  socket.write(`${[...head, ...lines].join('\r\n')}\r\n\r\n${rest}`)
  return socket
}

async function sendRaw(lines: readonly string[], body: string) {
  const socket = raw([...lines, 'connection: close', `content-length: ${body.length}`], body)
  const headers = await text(socket)
  return { status: Number(/^HTTP\/1.1 (\d+)/.exec(headers)?.[1]), headers }
}
