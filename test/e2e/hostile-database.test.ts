import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Database } from '../../src/db/client.ts'
import { subscribe } from '../graphql/support/live.ts'
import { testEnvironment } from '../support/app.ts'
import { JOINED } from '../support/factories.ts'
import { createHostileDatabase } from '../support/hostile-database.ts'
import { logLine, logLines } from '../support/log-lines.ts'
import { type PosthornProcess, runPosthorn, startPosthorn } from '../support/posthorn-process.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { until } from '../support/until.ts'

/** Posthorn in a database whose settings, and in a process whose time zone and locale, are those of other people. */
let database: Database
let folder: string
let receiver: Receiver
let environment: Record<string, string>
let posthorn: PosthornProcess
let url: string
let token: string
let webhookId: string

const HOUR_MS = 3_600_000
/** Less than any difference between two time zones. */
const MINUTE_MS = 60_000

beforeAll(async () => {
  database = await createHostileDatabase({ migrated: false })
  folder = await mkdtemp(path.join(tmpdir(), 'posthorn hostile '))
  receiver = await startReceiver()
  await writeFile(path.join(folder, 'ca.pem'), receiver.authority)
  environment = {
    ...testEnvironment(database.url),
    POSTHORN_LOG_LEVEL: 'info',
    POSTHORN_EGRESS_CA_FILE: path.join(folder, 'ca.pem'),
    TZ: 'America/New_York',
    LC_ALL: 'tr_TR.UTF-8',
  }
  posthorn = startPosthorn(['start'], { environment })
  url = (await logLine(posthorn, { msg: 'ready' }, 30_000))['url']
})
afterAll(async () => {
  await posthorn[Symbol.asyncDispose]()
  await receiver[Symbol.asyncDispose]()
  await database[Symbol.asyncDispose]()
  await rm(folder, { recursive: true, force: true })
})

test('the commands print the times of now, and a key that expires is refused afterwards', async () => {
  const { created_at: createdAt } = await run('organization', 'create', 'Harvest Fair')
  expectNow(createdAt)
  token = (await run('key', 'create', '--scope', 'admin')).token
  const brief = await run('key', 'create', '--scope', 'webhooks:read', '--expires', '3s')
  expect((await rest('GET', '', undefined, brief.token)).status).toBe(200)
  const listed: { id: string; expires_at: string }[] = await run('key', 'list')
  expectNow(String(listed.find(({ id }) => id === brief.id)?.expires_at))
  const refused = async () => (await rest('GET', '', undefined, brief.token)).status === 401
  await until(refused, 'the key has expired')
})

test('REST creates and reads a webhook', async () => {
  const body = { url: receiver.url, enabled: true, event_subscriptions: [JOINED] }
  const created = await rest('POST', '', body)
  expect(created.status).toBe(201)
  const webhook = await created.json()
  webhookId = webhook.id
  expectNow(webhook.created_at)
  expect(await (await rest('GET', `/${webhookId}`)).json()).toEqual(webhook)
})

test('an event is delivered, its body is the one that is shown, and its times are those of now', async () => {
  const { publishEvent } = await graphql(
    `mutation { publishEvent(input: { type: "${JOINED}", data: { n: 1 } }) {
       ... on PublishEventSuccess { publishedEvent { event { id publishedAt occurredAt body } } } } }`,
  )
  const { event } = publishEvent.publishedEvent
  expectNow(event.occurredAt)
  expectNow(event.publishedAt)
  const { body, headers } = await receiver.arrival(1)
  expect(event.body).toBe(body.toString())
  expectNow(Number(headers['wh-timestamp']) * 1_000)
  const delivery = async () =>
    (await graphql('{ deliveries(first: 1) { nodes { state createdAt finishedAt } } }')).deliveries
      .nodes[0]
  await until(async () => (await delivery()).state === 'SUCCEEDED', 'the attempt is recorded')
  expectNow((await delivery()).createdAt)
  expectNow((await delivery()).finishedAt)
})

test('a subscription that resumes gets what it missed', async () => {
  const { deliveries } = await graphql('{ deliveries(first: 1) { nodes { id finishedAt } } }')
  const [{ id, finishedAt }] = deliveries.nodes
  const after = new Date(Date.parse(finishedAt) - 1_000).toISOString()
  using stream = await subscribe(
    url,
    token,
    `subscription { deliveryFinished(after: "${after}") { id } }`,
  )
  expect((await stream.result(1)).data).toEqual({ deliveryFinished: { id } })
})

test('a session lives as long as it says', async () => {
  const { createFrontendSession } = await graphql(
    `mutation { createFrontendSession(input: { scopes: ["webhooks:read"] }) {
       ... on CreateFrontendSessionSuccess { token } } }`,
  )
  const session = createFrontendSession.token
  const { viewer } = await graphql('{ viewer { session { expiresAt } } }', session)
  const leftMs = Date.parse(viewer.session.expiresAt) - Date.now()
  expect(Math.abs(leftMs - HOUR_MS)).toBeLessThan(MINUTE_MS)
})

test('a failed attempt is retried on time, and recovering counts what failed since then', async () => {
  receiver.clear()
  receiver.answer = (response) => response.writeHead(500).end()
  const since = new Date(Date.now() - 1_000).toISOString()
  const event = await run('publish', JOINED, '{"n": 2}')
  expect(event.id).toMatch(/^evt_/)
  await receiver.arrival(4)
  const exhausted = async () =>
    (await graphql('{ deliveries(first: 1) { nodes { state } } }')).deliveries.nodes[0].state ===
    'EXHAUSTED'
  await until(exhausted, 'the delivery is exhausted')
  receiver.answer = (response) => response.end()
  const { recoverDeliveries } = await graphql(
    `mutation { recoverDeliveries(input: { webhookId: "${webhookId}", since: "${since}" }) {
       ... on RecoverDeliveriesSuccess { count } ... on UserError { message } } }`,
  )
  expect(recoverDeliveries).toEqual({ count: 1 })
  await receiver.arrival(5)
})

test('/readyz and the log find nothing wrong', async () => {
  expect((await fetch(`${url}/readyz`)).status).toBe(200)
  const faults = logLines(posthorn).filter(({ level }) => level === 'error')
  expect(faults).toEqual([])
})

describe('a cancelation by Posthorn is logged with its reason', () => {
  test('of a delivery whose event was deleted', async () => {
    const { id } = await publishRetried({ n: 4 }, 3)
    await database.pool.query(
      `delete from posthorn.events where id = posthorn.parse_type_id('evt', $1)`,
      [id],
    )
    await expectCanceled('event_deleted', { deliveryIds: [expect.stringMatching(/^msg_/)] })
  })

  test('of a delivery that a task cancels', async () => {
    await publishRetried({ n: 5 })
    await graphql(
      `mutation { cancelDeliveries(input: { filter: { states: [RETRYING] } }) {
         ... on CancelDeliveriesSuccess { count } } }`,
    )
    await expectCanceled('delivery_task', { taskId: expect.stringMatching(/^task_/) })
  })

  test('of a delivery whose webhook was deleted', async () => {
    await publishRetried({ n: 6 })
    expect((await rest('DELETE', `/${webhookId}`)).status).toBe(204)
    await expectCanceled('webhook_deleted', { webhookId })
  })

  /** Publishes an event whose first attempt fails, and whose next one is made later. */
  async function publishRetried(data: object, retryAfterSeconds = 3_600): Promise<{ id: string }> {
    receiver.clear()
    receiver.answer = (response) =>
      response.writeHead(500, { 'retry-after': String(retryAfterSeconds) }).end()
    const event = await run('publish', JOINED, JSON.stringify(data))
    const isRetrying = async () =>
      (await graphql('{ deliveries(first: 1) { nodes { state } } }')).deliveries.nodes[0].state ===
      'RETRYING'
    await receiver.arrival(1)
    await until(isRetrying, 'the first attempt is recorded')
    return event
  }

  async function expectCanceled(reason: string, ids: object): Promise<void> {
    const line = await logLine(posthorn, { event: 'deliveries.canceled', reason })
    expect(line).toMatchObject({ level: 'info', count: 1, ...ids })
  }
})

function expectNow(time: string | number): void {
  const differenceMs = Math.abs(new Date(time).getTime() - Date.now())
  expect(differenceMs, String(time)).toBeLessThan(MINUTE_MS)
}

// biome-ignore lint/suspicious/noExplicitAny: a test knows what its command prints.
async function run(...args: string[]): Promise<any> {
  const { stdout, stderr, code } = await runPosthorn([...args, '--json'], { environment })
  expect({ stderr, code }).toEqual({ stderr: '', code: 0 })
  return JSON.parse(stdout)
}

async function rest(method: string, route: string, body?: object, key = token): Promise<Response> {
  return await fetch(`${url}/api/connect/v1/webhooks${route}`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })
}

// biome-ignore lint/suspicious/noExplicitAny: a test knows the shape of its answer.
async function graphql(query: string, key = token): Promise<any> {
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
  })
  const { data, errors } = (await response.json()) as { data: unknown; errors?: unknown }
  expect(errors).toBeUndefined()
  return data
}
