import { once } from 'node:events'
import { connect } from 'node:net'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { parseId, publicId } from '../../src/db/ids.ts'
import { createApiKey, revokeApiKey } from '../support/api-keys.ts'
import { startTestApp, useTestApp } from '../support/app.ts'
import { createTenant, JOINED } from '../support/factories.ts'
import { hostUrl } from '../support/host-url.ts'
import { startReceiver } from '../support/receiver.ts'
import { startStopwatch } from '../support/stopwatch.ts'
import { until } from '../support/until.ts'
import { useResource } from '../support/use-resource.ts'
import { listeningConnections, type Stream, subscribe } from './support/live.ts'

/** Two processes on one database: the API has the subscriptions, the worker makes the attempts. */
let webhookId: string
let token: string
let raw: pg.Client
const notifications: string[] = []

const ATTEMPTS =
  'subscription { attemptRecorded { number succeeded status delivery { id state } } }'

const RESUMED_ATTEMPTS = `subscription ($after: ID, $webhookId: ID) {
  attemptRecorded(after: $after, webhookId: $webhookId) { id succeeded delivery { id } }
}`
const FINISHED = `subscription ($after: DateTime, $webhookId: ID) {
  deliveryFinished(after: $after, webhookId: $webhookId) { id state attemptCount finishedAt }
}`
const HEALTH = `subscription ($id: ID) {
  webhookHealthChanged(webhookId: $id) { state webhook { id enabled } }
}`
const CANCEL = 'mutation ($id: ID!) { cancelDeliveries(input: { ids: [$id] }) { __typename } }'

const receiver = await useResource(startReceiver())
const api = await useTestApp({ role: 'api', environment: { POSTHORN_LOG_LEVEL: 'error' } })
await useTestApp({
  role: 'worker',
  database: api.database,
  trustedAuthorities: [receiver.authority],
})

beforeAll(async () => {
  token = api.tenant.token
  webhookId = await addWebhook(receiver.url)
  raw = new pg.Client({ connectionString: hostUrl(api.database.url) })
  await raw.connect()
  raw.on('notification', ({ payload = '' }) => notifications.push(payload))
  await raw.query('listen posthorn_live')
})
afterEach(async () => {
  receiver.answer = (response) => response.end()
  await noneListens()
  // An organization is notified until its listener is deleted, after the connection has ended.
  await until(async () => (await listeningOrganizations()) === 0, 'no organization is notified')
  // What was sent before arrives with the answer.
  await raw.query('select')
  notifications.length = 0
})
afterAll(async () => {
  await raw.end()
})

const open = (query = ATTEMPTS, variables = {}, key = token) =>
  subscribe(api.app.url, key, query, variables)

async function addWebhook(url: string): Promise<string> {
  const fields = { url, enabled: true, event_subscriptions: [JOINED] }
  const response = await api.rest('POST', '/webhooks', fields)
  return ((await response.json()) as { id: string }).id
}

async function publish(count = 1): Promise<void> {
  const events = Array.from({ length: count }, () => ({ type: JOINED, data: {} }))
  await api.services.publishEvents(api.tenant.organizationId, events)
}

const noneListens = () =>
  until(async () => (await listeningConnections(api.database)) === 0, 'no connection listens')

const anotherKey = () =>
  createApiKey(api.database.prisma, {
    organizationId: api.tenant.organizationId,
    scopes: ['deliveries:read'],
  })

async function deliveriesDone(): Promise<void> {
  const pending = () => api.database.prisma.delivery.count({ where: { state: 'pending' } })
  await until(async () => (await pending()) === 0, 'all deliveries are finished', 30_000)
}

async function listeningOrganizations(): Promise<number> {
  const { rowCount } = await api.database.pool.query('select from posthorn.live_listeners')
  return rowCount ?? 0
}

test('an attempt of another process arrives when it is recorded', async () => {
  using stream = await open()
  await publish()
  const attempt = { number: 1, succeeded: true, status: 200, delivery: { state: 'SUCCEEDED' } }
  expect(await stream.result(1)).toMatchObject({ data: { attemptRecorded: attempt } })
})

test('each attempt arrives once, and each delivery when it finishes', async () => {
  let requests = 0
  receiver.answer = (response) => {
    response.writeHead(requests++ < 2 ? 503 : 204).end()
  }
  using attempts = await open()
  using finished = await open(FINISHED, { webhookId })
  await publish()
  const delivery = { state: 'SUCCEEDED', attemptCount: 3 }
  expect(await finished.result(1)).toMatchObject({ data: { deliveryFinished: delivery } })
  await attempts.result(3)
  expect(attempts.results.map(({ data }) => data.attemptRecorded.status)).toEqual([503, 503, 204])
  expect(finished.results).toHaveLength(1)
})

test('a canceled delivery is finished', async () => {
  receiver.answer = (response) => response.writeHead(500, { 'retry-after': '3600' }).end()
  using attempts = await open()
  using finished = await open(FINISHED)
  await publish()
  const { data } = await attempts.result(1)
  const { id } = data.attemptRecorded.delivery
  await api.graphql(CANCEL, { id })
  const delivery = { id, state: 'CANCELED' }
  expect(await finished.result(1)).toMatchObject({ data: { deliveryFinished: delivery } })
})

test('each change of the state of a webhook arrives once: failing, healthy, disabled, enabled', async () => {
  const id = await addWebhook(`${receiver.url}health`)
  using changes = await open(HEALTH, { id })
  const states = () => changes.results.map(({ data }) => data.webhookHealthChanged.state)
  receiver.answer = (response, { path }) => response.writeHead(path === '/health' ? 500 : 200).end()
  await publish()
  await deliveriesDone()
  await until(() => states().length === 1, 'it fails')
  receiver.answer = (response) => response.end()
  await publish()
  await publish()
  await deliveriesDone()
  await until(() => states().length === 2, 'it works again')
  await api.rest('PUT', `/webhooks/${id}`, { enabled: false })
  await until(() => states().length === 3, 'it is switched off')
  await api.rest('PUT', `/webhooks/${id}`, { description: 'still off' })
  await api.rest('PUT', `/webhooks/${id}`, { enabled: true })
  await until(() => states().length >= 4, 'it is switched on')
  expect(states()).toEqual(['FAILING', 'HEALTHY', 'DISABLED', 'HEALTHY'])
  expect(changes.results[3]?.data.webhookHealthChanged.webhook).toEqual({ id, enabled: true })
  await api.rest('DELETE', `/webhooks/${id}`)
})

test('a webhook on hold is reported as such until the hold ends, also if an attempt from before succeeds', async () => {
  const id = await addWebhook(`${receiver.url}hold`)
  using changes = await open(HEALTH, { id })
  using attempts = await open(RESUMED_ATTEMPTS, { webhookId: id })
  const last = () => changes.results.at(-1)?.data.webhookHealthChanged.state
  const answers: (() => void)[] = []
  receiver.answer = (response, { path }) => {
    if (path !== '/hold') response.end()
    else if (answers.length === 0) answers.push(() => response.end())
    else response.writeHead(429, { 'retry-after': '3600' }).end()
  }
  await publish()
  await until(() => answers.length === 1, 'an attempt is in flight')
  await publish()
  await attempts.result(1)
  await until(() => last() === 'ON_HOLD', 'the webhook is on hold')
  answers[0]?.()
  expect(await attempts.result(2)).toMatchObject({ data: { attemptRecorded: { succeeded: true } } })
  expect(last()).toBe('ON_HOLD')
  await api.rest('PUT', `/webhooks/${id}`, { url: `${receiver.url}elsewhere` })
  await until(() => last() === 'HEALTHY', 'the hold has ended')
  await api.rest('DELETE', `/webhooks/${id}`)
})

test('attempts recorded together are read together, and notified once', async () => {
  using stream = await open('subscription { attemptRecorded { id delivery { id event { id } } } }')
  const startedAt = performance.now()
  await publish(600)
  await deliveriesDone()
  await stream.result(600)
  const elapsedMs = performance.now() - startedAt
  const ids = new Set(stream.results.map(({ data }) => data.attemptRecorded.id))
  expect(ids.size).toBe(600)
  // At most one each 20 ms in a process, and one of the publication: on a free machine far fewer than attempts.
  expect(notifications.length).toBeLessThan(Math.max(70, elapsedMs / 20))
  for (const payload of notifications) expect(payload.length).toBeLessThan(8_000)
})

test('another organization receives nothing', async () => {
  const other = await createTenant(api.database.prisma)
  using theirs = await open(ATTEMPTS, {}, other.token)
  using ours = await open()
  await publish()
  await ours.result(1)
  // Any earlier event would have arrived before this one.
  await publish()
  await ours.result(2)
  expect(theirs.results).toEqual([])
  const rejected = await open(RESUMED_ATTEMPTS, { webhookId }, other.token)
  expect((await rejected.result(1)).errors).toMatchObject([{ extensions: { code: 'NOT_FOUND' } }])
})

test('an event of more than 10 MB is an error, and ends its stream', async () => {
  const { organizationId } = api.tenant
  const large = { type: JOINED, data: { text: 'x'.repeat(250_000) } }
  await api.services.publishEvents(organizationId, Array(45).fill(large))
  await deliveriesDone()
  using stream = await open(
    'subscription { attemptRecorded { delivery { webhook { deliveries(first: 45) { nodes { event { data } } } } } } }',
  )
  await publish()
  expect(await stream.result(1)).toMatchObject({
    errors: [{ extensions: { code: 'LIMIT_EXCEEDED', limit: 'bytes in the response' } }],
  })
  await until(() => stream.end !== null, 'the stream ends')
  expect(stream.end).toBe('completed')
})

test('without a key, a subscription is rejected with 401', async () => {
  const response = await fetch(`${api.app.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
    body: JSON.stringify({ query: ATTEMPTS }),
  })
  expect(response.status).toBe(401)
})

test('a subscription can be a GET, and is rejected for clients that do not accept a stream', async () => {
  const get = (accept: string) =>
    fetch(`${api.app.url}/graphql?${new URLSearchParams({ query: ATTEMPTS })}`, {
      headers: { accept, authorization: `Bearer ${token}` },
    })
  const response = await get('text/event-stream')
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toContain('text/event-stream')
  expect(response.headers.get('x-accel-buffering')).toBe('no')
  await response.body?.cancel()
  const rejected = await get('application/json')
  expect(rejected.status).toBe(406)
  expect(rejected.headers.get('x-accel-buffering')).toBeNull()
  expect(await rejected.json()).toMatchObject({
    errors: [{ message: expect.stringContaining('text/event-stream') }],
  })
})

test.each(['revoked', 'expired'])('a key that is %s ends its streams within 5 s', async (how) => {
  const { prisma } = api.database
  const { key, token } = await anotherKey()
  const stream = await open(ATTEMPTS, {}, token)
  if (how === 'revoked') await revokeApiKey(prisma, publicId('apiKey', key.id))
  else await prisma.apiKey.update({ where: { id: key.id }, data: { expiresAt: new Date() } })
  await until(() => stream.end === 'completed', 'the stream ends', 5_000)
  expect(stream.results[0]?.errors).toMatchObject([
    { message: expect.stringContaining(how), extensions: { code: 'UNAUTHENTICATED' } },
  ])
  expect(stream.results).toHaveLength(1)
})

test('a stream survives a broken connection to Postgres, and misses nothing', async () => {
  using stream = await open()
  const { rowCount } = await api.database.pool.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and application_name like '%-live'`,
  )
  expect(rowCount).toBe(1)
  // Notified while no connection listens.
  await publish()
  await stream.result(1)
  await publish()
  await stream.result(2)
  expect(stream.results).toHaveLength(2)
})

test('without subscribers, no notification is sent', async () => {
  await publish(5)
  await deliveriesDone()
  const other = await createTenant(api.database.prisma)
  using _stream = await open(ATTEMPTS, {}, other.token)
  await publish(5)
  await deliveriesDone()
  // Notifications are ordered, so this one arrives after any other.
  await raw.query(`notify posthorn_live, 'end'`)
  await until(() => notifications.includes('end'), 'the notification arrives')
  expect(notifications).toEqual(['end'])
})

test('no connection listens after the streams of two organizations end together', async () => {
  const other = await createTenant(api.database.prisma)
  for (let i = 0; i < 5; i++) {
    const tokens = [token, other.token]
    const streams = await Promise.all(tokens.map((one) => open(ATTEMPTS, {}, one)))
    for (const stream of streams) stream[Symbol.dispose]()
    await noneListens()
  }
  await until(async () => (await listeningOrganizations()) === 0, 'no organization is notified')
})

test('a key may have 100 subscriptions, and ended ones no longer count', async () => {
  const { token } = await anotherKey()
  const subscribeAgain = () => open(ATTEMPTS, {}, token)
  const streams = await Promise.all(Array.from({ length: 100 }, subscribeAgain))
  const rejected = await subscribeAgain()
  expect((await rejected.result(1)).errors).toMatchObject([
    { extensions: { code: 'TOO_MANY_SUBSCRIPTIONS' } },
  ])
  streams[0]?.[Symbol.dispose]()
  await until(async () => {
    const again = await subscribeAgain()
    streams.push(again)
    await new Promise(setImmediate)
    return again.results.length === 0
  }, 'there is room again')
  for (const stream of streams) stream[Symbol.dispose]()
})

test('the stream of a client that does not read ends after 1,000 events with an error', async () => {
  receiver.answer = (response) => response.end('x'.repeat(16_384))
  const { port } = new URL(api.app.url)
  const socket = connect(Number(port), '127.0.0.1')
  await once(socket, 'connect')
  const body = JSON.stringify({
    query: 'subscription { attemptRecorded { id response { body } } }',
  })
  socket.write(
    `POST /graphql HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${token}\r\naccept: text/event-stream\r\n` +
      `content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  )
  const [head] = await once(socket, 'data')
  expect(String(head)).toMatch(/^HTTP\/1.1 200 OK\r\n/)
  expect(String(head)).toContain('text/event-stream')
  socket.pause()
  for (let i = 0; i < 2; i++) await publish(1_000)
  await deliveriesDone()
  await noneListens()
  socket.resume()
  let text = ''
  socket.on('data', (chunk) => {
    text += chunk
  })
  await until(() => text.includes('event: complete'), 'the stream ends')
  expect(text).toContain('SLOW_CONSUMER')
  socket.destroy()
})

test('a shutdown ends streams immediately, so that clients connect to another process', async () => {
  await using leaving = await startTestApp({ role: 'api', database: api.database })
  const stream = await subscribe(leaving.app.url, token, ATTEMPTS)
  const stopwatch = startStopwatch()
  await leaving.app[Symbol.asyncDispose]()
  expect(stopwatch.readMs()).toBeLessThan(1_500)
  await until(() => stream.end instanceof Error, 'the connection breaks')
  await expect(subscribe(leaving.app.url, token, ATTEMPTS)).resolves.toMatchObject({
    end: expect.any(Error),
  })
})

describe('a client that was away', () => {
  let own: string

  beforeEach(async () => {
    own = await addWebhook(receiver.url)
  })
  afterEach(async () => void (await api.rest('DELETE', `/webhooks/${own}`)))

  /** Publishes events and waits until all their deliveries are finished. Returns the ids of the webhook's attempts, by age. */
  async function deliver(count: number): Promise<string[]> {
    await publish(count)
    await deliveriesDone()
    const attempts = await api.database.prisma.attempt.findMany({
      where: { webhookId: parseId('webhook', own) as string },
      orderBy: { id: 'asc' },
    })
    return attempts.map(({ id }) => publicId('attempt', id))
  }

  const attemptIds = ({ results }: Stream) => results.map(({ data }) => data.attemptRecorded.id)

  test('a resumed stream begins with the missed attempts, in order, and goes on with new ones, each once', async () => {
    const missed = await deliver(250)
    using stream = await open(RESUMED_ATTEMPTS, {
      after: missed[0],
      webhookId: own,
    })
    await stream.result(missed.length)
    expect(attemptIds(stream)).toEqual(missed)
    const all = await deliver(3)
    await stream.result(all.length)
    expect(attemptIds(stream)).toHaveLength(all.length)
    expect(attemptIds(stream).toSorted()).toEqual(all)
  })

  test('attempts that are recorded while a stream resumes arrive once', async () => {
    const [first] = await deliver(1)
    const delivering = deliver(500)
    const streams = await Promise.all(
      Array.from({ length: 5 }, () => open(RESUMED_ATTEMPTS, { after: first, webhookId: own })),
    )
    const all = await delivering
    for (const stream of streams) {
      await stream.result(all.length)
      expect(attemptIds(stream).toSorted()).toEqual(all)
      stream[Symbol.dispose]()
    }
  })

  test('a stream without a webhook resumes with the attempts of all, and never with those of other organizations', async () => {
    const [first] = await deliver(2)
    const stranger = await createTenant(api.database.prisma)
    using own = await open(RESUMED_ATTEMPTS, { after: first })
    await own.result(2)
    using foreign = await open(RESUMED_ATTEMPTS, { after: first }, stranger.token)
    const all = await deliver(1)
    await until(() => attemptIds(own).includes(all.at(-1)), 'the new attempt arrives')
    expect(attemptIds(own)).toEqual(expect.arrayContaining(all))
    expect(foreign.results).toEqual([])
  })

  test('a stream of finished deliveries resumes in the order of their end, so that it can resume from each', async () => {
    const since = new Date()
    await deliver(1)
    const { id: uuid } = await api.database.prisma.delivery.findFirstOrThrow({
      where: { webhookId: parseId('webhook', own) as string },
    })
    const id = publicId('delivery', uuid)
    await deliver(1)
    // A redelivery is parked while the webhook is disabled.
    await api.rest('PUT', `/webhooks/${own}`, { enabled: false })
    await api.graphql('mutation ($id: ID!) { redeliver(input: { ids: [$id] }) { __typename } }', {
      id,
    })
    await api.graphql(CANCEL, { id })
    await api.rest('PUT', `/webhooks/${own}`, { enabled: true })
    await deliver(1)
    using stream = await open(FINISHED, { after: since, webhookId: own })
    await stream.result(3)
    const finished = stream.results.map(({ data }) => data.deliveryFinished)
    expect(finished[1]).toMatchObject({ id, state: 'CANCELED' })
    const times = finished.map(({ finishedAt }) => finishedAt)
    expect(times).toEqual(times.toSorted())
  })

  test('a client that missed too much is told to reload', async () => {
    const [first] = await deliver(1)
    await api.database.pool.query(
      `insert into posthorn.attempts (id, delivery_id, organization_id, webhook_id, number, started_at, succeeded,
         duration_ms, status, request_url)
       select posthorn.uuid_v7(), delivery_id, organization_id, webhook_id, 1, now(), true, 1, 200, ''
       from posthorn.attempts, generate_series(1, 10000) where webhook_id = $1`,
      [parseId('webhook', own)],
    )
    using stream = await open(RESUMED_ATTEMPTS, {
      after: first,
      webhookId: own,
    })
    expect((await stream.result(1)).errors).toMatchObject([
      {
        message: expect.stringMatching(/^More than 10,000 .* query the lists again\.$/),
        extensions: { code: 'RELOAD_REQUIRED' },
      },
    ])
  })

  test('an id that is not one of an attempt is rejected by name', async () => {
    using stream = await open(RESUMED_ATTEMPTS, { after: own })
    expect((await stream.result(1)).errors).toMatchObject([
      { message: expect.stringContaining('after must be the id of an attempt: att_….') },
    ])
  })
})
