import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { parseId, publicId } from '../../src/db/ids.ts'
import { startTestApp, type TestApp } from '../support/app.ts'
import { createTenant, JOINED } from '../support/factories.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { until } from '../support/until.ts'
import { listeningConnections, type Stream, subscribe } from './support/live.ts'

/* A client was away, and resumes its stream. */
let receiver: Receiver
let posthorn: TestApp
let webhookId: string
let token: string

const ATTEMPTS = `subscription ($after: ID, $webhookId: ID) {
  attemptRecorded(after: $after, webhookId: $webhookId) { id succeeded delivery { id } }
}`
const FINISHED = `subscription ($after: DateTime, $webhookId: ID) {
  deliveryFinished(after: $after, webhookId: $webhookId) { id state finishedAt }
}`

beforeAll(async () => {
  receiver = await startReceiver()
  posthorn = await startTestApp({ trustedAuthorities: [receiver.authority] })
  token = posthorn.tenant.token
})
beforeEach(async () => {
  webhookId = await addWebhook()
})
afterEach(async () => {
  receiver.answer = (response) => response.end()
  await posthorn.rest('DELETE', `/webhooks/${webhookId}`)
  await until(
    async () => (await listeningConnections(posthorn.database)) === 0,
    'no connection listens',
  )
})
afterAll(async () => {
  await posthorn[Symbol.asyncDispose]()
  await receiver[Symbol.asyncDispose]()
})

async function addWebhook(): Promise<string> {
  const response = await posthorn.rest('POST', '/webhooks', {
    url: receiver.url,
    enabled: true,
    event_subscriptions: [JOINED],
  })
  return ((await response.json()) as { id: string }).id
}

/** Publishes events and waits until all their deliveries are finished. Returns the ids of the webhook's attempts, by age. */
async function deliver(count: number): Promise<string[]> {
  const events = Array.from({ length: count }, () => ({ type: JOINED, data: {} }))
  await posthorn.services.publishEvents(posthorn.tenant.organizationId, events)
  const pending = () => posthorn.database.prisma.delivery.count({ where: { state: 'pending' } })
  await until(async () => (await pending()) === 0, 'all deliveries are finished')
  const attempts = await posthorn.database.prisma.attempt.findMany({
    where: { webhookId: parseId('webhook', webhookId) as string },
    orderBy: { id: 'asc' },
  })
  return attempts.map(({ id }) => publicId('attempt', id))
}

const attemptIds = ({ results }: Stream) => results.map(({ data }) => data.attemptRecorded.id)

test('a resumed stream begins with the missed attempts, in order, and goes on with new ones, each once', async () => {
  const missed = await deliver(250)
  using stream = await subscribe(posthorn.app.url, token, ATTEMPTS, { after: missed[0], webhookId })
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
    Array.from({ length: 5 }, () =>
      subscribe(posthorn.app.url, token, ATTEMPTS, { after: first, webhookId }),
    ),
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
  const stranger = await createTenant(posthorn.database.prisma)
  using own = await subscribe(posthorn.app.url, token, ATTEMPTS, { after: first })
  await own.result(2)
  using foreign = await subscribe(posthorn.app.url, stranger.token, ATTEMPTS, { after: first })
  const all = await deliver(1)
  await until(() => attemptIds(own).includes(all.at(-1)), 'the new attempt arrives')
  expect(attemptIds(own)).toEqual(expect.arrayContaining(all))
  expect(foreign.results).toEqual([])
})

test('a stream of finished deliveries resumes in the order of their end, so that it can resume from each', async () => {
  const since = new Date()
  await deliver(1)
  const { id: uuid } = await posthorn.database.prisma.delivery.findFirstOrThrow({
    where: { webhookId: parseId('webhook', webhookId) as string },
  })
  const id = publicId('delivery', uuid)
  await deliver(1)
  // A redelivery is parked while the webhook is disabled.
  await posthorn.rest('PUT', `/webhooks/${webhookId}`, { enabled: false })
  await posthorn.graphql(
    'mutation ($id: ID!) { redeliver(input: { ids: [$id] }) { __typename } }',
    { id },
  )
  await posthorn.graphql(
    'mutation ($id: ID!) { cancelDeliveries(input: { ids: [$id] }) { __typename } }',
    { id },
  )
  await posthorn.rest('PUT', `/webhooks/${webhookId}`, { enabled: true })
  await deliver(1)
  using stream = await subscribe(posthorn.app.url, token, FINISHED, { after: since, webhookId })
  await stream.result(3)
  const finished = stream.results.map(({ data }) => data.deliveryFinished)
  expect(finished[1]).toMatchObject({ id, state: 'CANCELED' })
  const times = finished.map(({ finishedAt }) => finishedAt)
  expect(times).toEqual(times.toSorted())
})

test('a client that missed too much is told to reload', async () => {
  const [first] = await deliver(1)
  await posthorn.database.pool.query(
    `insert into posthorn.attempts (id, delivery_id, organization_id, webhook_id, number, started_at, succeeded,
       duration_ms, status, request_url)
     select posthorn.uuid_v7(), delivery_id, organization_id, webhook_id, 1, now(), true, 1, 200, ''
     from posthorn.attempts, generate_series(1, 10000) where webhook_id = $1`,
    [parseId('webhook', webhookId)],
  )
  using stream = await subscribe(posthorn.app.url, token, ATTEMPTS, { after: first, webhookId })
  expect((await stream.result(1)).errors).toMatchObject([
    {
      message: expect.stringMatching(/^More than 10,000 .* query the lists again\.$/),
      extensions: { code: 'RELOAD_REQUIRED' },
    },
  ])
})

test('an id that is not one of an attempt is rejected by name', async () => {
  using stream = await subscribe(posthorn.app.url, token, ATTEMPTS, { after: webhookId })
  expect((await stream.result(1)).errors).toMatchObject([
    { message: expect.stringContaining('after must be the id of an attempt: att_….') },
  ])
})
