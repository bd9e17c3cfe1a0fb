import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { parseId, publicId } from '../../src/db/ids.ts'
import { createWebhook } from '../scheduling/support/backlog.ts'
import { createApiKey } from '../support/api-keys.ts'
import { startTestApp, useTestApp } from '../support/app.ts'
import { createTenant, JOINED } from '../support/factories.ts'
import { startReceiver } from '../support/receiver.ts'
import { until } from '../support/until.ts'
import { useResource } from '../support/use-resource.ts'
import { listeningConnections, type Stream, subscribe } from './support/live.ts'

/* One process makes the attempts, and another one has the subscriptions. Both are on a database without other listeners. */
const receiver = await useResource(startReceiver())
const worker = await useTestApp({ trustedAuthorities: [receiver.authority] })
const { database } = worker
const api = await useTestApp({ role: 'api', database })
const { token, organizationId } = api.tenant
const webhookId = await createWebhook(api, receiver.url)

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

afterEach(async () => {
  receiver.answer = (response) => response.end()
  await until(async () => (await listeningConnections(database)) === 0, 'no connection listens')
})

const open = (query = ATTEMPTS, variables = {}, key = token) =>
  subscribe(api.app.url, key, query, variables)

async function publish(count = 1, data: object = {}): Promise<void> {
  await api.services.publishEvents(organizationId, Array(count).fill({ type: JOINED, data }))
}

async function deliver(count = 1, data?: object): Promise<void> {
  await publish(count, data)
  const pending = () => database.prisma.delivery.count({ where: { state: 'pending' } })
  await until(async () => (await pending()) === 0, 'all deliveries are finished', 30_000)
}

test('each attempt of another process arrives once, and each delivery when it finishes', async () => {
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

test('each change of the state of a webhook arrives once', async () => {
  const id = await createWebhook(api, `${receiver.url}health`)
  using changes = await open(HEALTH, { id })
  const put = (fields: object) => api.rest('PUT', `/webhooks/${id}`, fields)
  const answer = (status: number, headers = {}) => {
    receiver.answer = (response, { path }) =>
      response.writeHead(path === '/health' ? status : 200, headers).end()
  }
  const expected: string[] = []
  async function expectNext(state: string) {
    expected.push(state)
    await changes.result(expected.length)
    expect(changes.results.map(({ data }) => data.webhookHealthChanged.state)).toEqual(expected)
  }
  answer(500)
  await deliver()
  await expectNext('FAILING')
  answer(200)
  await deliver(2)
  await expectNext('HEALTHY')
  answer(429, { 'retry-after': '3600' })
  await publish()
  await expectNext('ON_HOLD')
  await put({ url: `${receiver.url}elsewhere` })
  await expectNext('HEALTHY')
  await put({ enabled: false })
  await expectNext('DISABLED')
  await put({ description: 'still off' })
  await put({ enabled: true })
  await expectNext('HEALTHY')
  expect(changes.results.at(-1)?.data.webhookHealthChanged.webhook).toEqual({ id, enabled: true })
  await api.rest('DELETE', `/webhooks/${id}`)
})

test('an event of more than 10 MB is an error, and ends its stream', async () => {
  await deliver(15, { text: 'x'.repeat(250_000) })
  using stream = await open(
    'subscription { attemptRecorded { delivery { webhook { deliveries(first: 15) { nodes { event { data dataText body } } } } } } }',
  )
  await publish()
  expect(await stream.result(1)).toMatchObject({
    errors: [{ extensions: { code: 'LIMIT_EXCEEDED', limit: 'bytes in the response' } }],
  })
  await until(() => stream.end === 'completed', 'the stream ends')
})

test('a subscription can be a GET with a key, and is rejected for clients that do not accept a stream', async () => {
  const get = (accept: string, headers: Record<string, string>) =>
    fetch(`${api.app.url}/graphql?${new URLSearchParams({ query: ATTEMPTS })}`, {
      headers: { accept, ...headers },
    })
  const authorization = `Bearer ${token}`
  const response = await get('text/event-stream', { authorization })
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toContain('text/event-stream')
  expect(response.headers.get('x-accel-buffering')).toBe('no')
  await response.body?.cancel()
  expect((await get('text/event-stream', {})).status).toBe(401)
  const rejected = await get('application/json', { authorization })
  expect(rejected.status).toBe(406)
  expect(rejected.headers.get('x-accel-buffering')).toBeNull()
  expect(await rejected.text()).toContain('text/event-stream')
})

test.each(['*/*', 'multipart/mixed, text/event-stream'])(
  'a client that accepts %s gets an event stream by POST',
  async (accept) => {
    const response = await fetch(`${api.app.url}/graphql`, {
      method: 'POST',
      headers: { accept, authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ query: ATTEMPTS }),
    })
    const names = ['content-type', 'cache-control', 'x-accel-buffering', 'x-content-type-options']
    expect(names.map((name) => response.headers.get(name))).toEqual([
      'text/event-stream',
      'no-store',
      'no',
      'nosniff',
    ])
    await response.body?.cancel()
  },
)

test('a stream survives a broken connection to Postgres, and misses nothing', async () => {
  using stream = await open()
  const { rowCount } = await database.pool.query(
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

test('a key may have 100 subscriptions, and ended ones no longer count', async () => {
  const scopes = ['deliveries:read'] as const
  const { token } = await createApiKey(database.prisma, { organizationId, scopes })
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

test('a shutdown ends streams, so that clients connect to another process', async () => {
  await using leaving = await startTestApp({ role: 'api', database })
  const stream = await subscribe(leaving.app.url, token, ATTEMPTS)
  await leaving.app[Symbol.asyncDispose]()
  await until(() => stream.end instanceof Error, 'the connection breaks')
  await expect(subscribe(leaving.app.url, token, ATTEMPTS)).resolves.toMatchObject({
    end: expect.any(Error),
  })
})

describe('a client that was away', () => {
  let own: string

  beforeEach(async () => {
    own = await createWebhook(api, receiver.url)
  })
  afterEach(async () => void (await api.rest('DELETE', `/webhooks/${own}`)))

  /** Publishes events and waits until all their deliveries are finished. Returns the ids of the webhook's attempts, by age. */
  async function attemptsAfter(count: number): Promise<string[]> {
    if (count > 0) await deliver(count)
    const attempts = await database.prisma.attempt.findMany({
      where: { webhookId: parseId('webhook', own) as string },
      orderBy: { id: 'asc' },
    })
    return attempts.map(({ id }) => publicId('attempt', id))
  }

  /** Adds attempts of the webhook like its last one. */
  const addAttempts = (count: number) =>
    database.pool.query(
      `insert into posthorn.attempts (id, delivery_id, organization_id, webhook_id, number, started_at, succeeded,
         duration_ms, status, request_url)
       select posthorn.uuid_v7(), delivery_id, organization_id, webhook_id, 1, now(), true, 1, 200, ''
       from posthorn.attempts, generate_series(1, $2::int) where webhook_id = $1`,
      [parseId('webhook', own), count],
    )

  const attemptIds = ({ results }: Stream) => results.map(({ data }) => data.attemptRecorded.id)

  test('a resumed stream begins with the missed attempts, in order, and goes on with new ones, each once', async () => {
    const [first] = await attemptsAfter(1)
    await addAttempts(250)
    const missed = await attemptsAfter(0)
    using stream = await open(RESUMED_ATTEMPTS, { after: first, webhookId: own })
    await stream.result(missed.length)
    expect(attemptIds(stream)).toEqual(missed)
    const all = await attemptsAfter(3)
    await stream.result(all.length)
    expect(attemptIds(stream)).toHaveLength(all.length)
    expect(attemptIds(stream).toSorted()).toEqual(all)
  })

  test('a stream without a webhook resumes with the attempts of all, and never with those of other organizations', async () => {
    const [first] = await attemptsAfter(2)
    const stranger = await createTenant(database.prisma)
    using own = await open(RESUMED_ATTEMPTS, { after: first })
    await own.result(2)
    using foreign = await open(RESUMED_ATTEMPTS, { after: first }, stranger.token)
    const all = await attemptsAfter(1)
    await until(() => attemptIds(own).includes(all.at(-1)), 'the new attempt arrives')
    expect(attemptIds(own)).toEqual(expect.arrayContaining(all))
    expect(foreign.results).toEqual([])
  })

  test('a stream of finished deliveries resumes in the order of their end, so that it can resume from each', async () => {
    const since = new Date()
    await deliver()
    const { id: uuid } = await database.prisma.delivery.findFirstOrThrow({
      where: { webhookId: parseId('webhook', own) as string },
    })
    const id = publicId('delivery', uuid)
    await deliver()
    // A redelivery is parked while the webhook is disabled.
    await api.rest('PUT', `/webhooks/${own}`, { enabled: false })
    for (const name of ['redeliver', 'cancelDeliveries']) {
      const mutation = `mutation ($id: ID!) { ${name}(input: { ids: [$id] }) { __typename } }`
      await api.graphql(mutation, { id })
    }
    await api.rest('PUT', `/webhooks/${own}`, { enabled: true })
    await deliver()
    using stream = await open(FINISHED, { after: since, webhookId: own })
    await stream.result(3)
    const finished = stream.results.map(({ data }) => data.deliveryFinished)
    expect(finished[1]).toMatchObject({ id, state: 'CANCELED' })
    const times = finished.map(({ finishedAt }) => finishedAt)
    expect(times).toEqual(times.toSorted())
  })

  test('a client that missed too much is told to reload, and an id of another kind or organization is rejected', async () => {
    const [first] = await attemptsAfter(1)
    await addAttempts(10_000)
    using stream = await open(RESUMED_ATTEMPTS, { after: first, webhookId: own })
    expect((await stream.result(1)).errors).toMatchObject([
      {
        message: expect.stringMatching(/^More than 10,000 .* query the lists again\.$/),
        extensions: { code: 'RELOAD_REQUIRED' },
      },
    ])
    using wrong = await open(RESUMED_ATTEMPTS, { after: own })
    expect((await wrong.result(1)).errors?.[0]?.message).toContain('must be the id of an attempt')
    const stranger = await createTenant(database.prisma)
    using foreign = await open(RESUMED_ATTEMPTS, { webhookId }, stranger.token)
    expect((await foreign.result(1)).errors).toMatchObject([{ extensions: { code: 'NOT_FOUND' } }])
  })
})
