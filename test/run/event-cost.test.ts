import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import { afterAll, expect, test } from 'vitest'
import type { Role } from '../../src/config/settings.ts'
import type { Database } from '../../src/db/client.ts'
import { testEnvironment } from '../support/app.ts'
import { useTestDatabase } from '../support/database.ts'
import { createTenant, JOINED } from '../support/factories.ts'
import { type Inspector, openInspector } from '../support/inspector.ts'
import { deliveryJobs } from '../support/jobs.ts'
import { logLine } from '../support/log-lines.ts'
import { type PosthornProcess, startPosthorn } from '../support/posthorn-process.ts'
import { startReceiver } from '../support/receiver.ts'
import { startStatementProxy } from '../support/statement-proxy.ts'
import { until } from '../support/until.ts'
import { useResource } from '../support/use-resource.ts'

/* What one event costs is counted, not timed, so it is the same on each machine. */

/** Bytes that a process allocates for one event. Garbage costs each request time, also those that did not make it. */
const PUBLISH_BY_REST_BYTES = 30_000
const PUBLISH_BY_GRAPHQL_BYTES = 92_000
const DELIVERY_BYTES = 66_000

/** Of an event that is published and delivered alone, from the request to the completed job. */
const STATEMENTS = [
  'complete_job/graphile_worker',
  'get_job100/graphile_worker',
  'insert_events',
  // It wakes the worker.
  'notification jobs:insert',
  'record_attempts',
]
/** For all events of a tenth of a second, and after the last statement of each. */
const SHARED = 'notify_live'

/** Those of `src` that a reader follows from the request to the recorded attempt. */
const FILES = 44

/** As many as V8 needs to compile the path. */
const WARM_UP = 1_500
const MEASURED = 300
const ROUNDS = 2
/** One after the other. */
const SINGLY = 20
/** Longer than the intervals of what runs at rest. */
const REST_MS = 2_500

const EVENT = { type: JOINED, data: { attendee: 'Ada Lovelace', ticket: 'x'.repeat(300) } }
const MUTATION =
  'mutation ($input: PublishEventInput!) { publishEvent(input: $input) { __typename } }'
const REQUESTS = {
  REST: { route: '/api/events/v1/events', body: EVENT },
  GraphQL: { route: '/graphql', body: { query: MUTATION, variables: { input: EVENT } } },
}

const folder = await mkdtemp(path.join(tmpdir(), 'posthorn event cost '))
afterAll(() => rm(folder, { recursive: true }))
const receiver = await useResource(startReceiver())
const authority = path.join(folder, 'authority.pem')
await writeFile(authority, receiver.authority)

const [apart, together] = await Promise.all([startApart(), startTogether()])

/** The API and the worker, each in a process that can be inspected. */
async function startApart() {
  const database = await useTestDatabase()
  const [api, worker] = await Promise.all([
    start('api', database.url, { NODE_OPTIONS: '--inspect=127.0.0.1:0' }),
    start('worker', database.url, { NODE_OPTIONS: '--inspect=127.0.0.1:0' }),
  ])
  const site = await addWebhook(database, api.url)
  await deliver(site, 'REST', WARM_UP)
  await deliver(site, 'GraphQL', WARM_UP)
  return { site, api: await inspect(api.posthorn), worker: await inspect(worker.posthorn) }
}

/** One process, as users start it. */
async function startTogether() {
  const database = await useTestDatabase()
  const proxy = await useResource(startStatementProxy(database.url))
  const { url } = await start('all', proxy.url)
  const site = await addWebhook(database, url)
  await deliver(site, 'REST', SINGLY)
  return { site, statements: proxy.list }
}

async function start(role: Role, databaseUrl: string, environment: Record<string, string> = {}) {
  const settings = { POSTHORN_LOG_LEVEL: 'info', POSTHORN_EGRESS_CA_FILE: authority }
  const starting = startPosthorn(['start', '--role', role], {
    environment: { ...testEnvironment(databaseUrl), ...settings, ...environment },
  })
  const posthorn = await useResource(Promise.resolve(starting))
  const { url } = await logLine(posthorn, { msg: 'ready' })
  return { posthorn, url: url as string }
}

async function inspect(posthorn: PosthornProcess): Promise<Inspector> {
  const inspector = await openInspector(posthorn)
  afterAll(() => inspector[Symbol.dispose]())
  return inspector
}

type Site = Awaited<ReturnType<typeof addWebhook>>

async function addWebhook(database: Database, url: string) {
  const { token } = await createTenant(database.prisma)
  await database.pool.query('update posthorn.api_keys set deliveries_per_second = 1000000')
  const site = { database, url, token }
  const webhook = { url: receiver.url, event_subscriptions: [JOINED], enabled: true }
  await post(site, '/api/connect/v1/webhooks', webhook)
  return site
}

async function post({ url, token }: Omit<Site, 'database'>, route: string, body: object) {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const request = { method: 'POST', headers, body: JSON.stringify(body) }
  const response = await fetch(url + route, request)
  const answer = await response.text()
  if (!response.ok || answer.includes('"errors"')) throw new Error(answer)
}

/** Publishes events, up to ten at a time, and waits until they are delivered and their jobs complete. */
async function deliver(site: Site, by: keyof typeof REQUESTS, count: number): Promise<void> {
  const { route, body } = REQUESTS[by]
  let left = count
  const lane = async () => {
    while (left-- > 0) await post(site, route, body)
  }
  await Promise.all(Array.from({ length: Math.min(count, 10) }, lane))
  await until(
    async () => (await deliveryJobs(site.database.pool)).length === 0,
    'all are delivered',
  )
}

test('an event allocates few bytes where it is published by REST or GraphQL, and where it is delivered', async () => {
  const rest = await allocated(() => sleep(REST_MS))
  const byRest = await bytesPerEvent('REST', rest)
  const byGraphql = await bytesPerEvent('GraphQL', rest)
  const costs = [
    [byRest.api, PUBLISH_BY_REST_BYTES],
    [byGraphql.api, PUBLISH_BY_GRAPHQL_BYTES],
    [Math.min(byRest.worker, byGraphql.worker), DELIVERY_BYTES],
  ]
  for (const [bytes, bound = 0] of costs) {
    expect(bytes).toBeLessThan(bound)
    // A meter that stands still would meet each bound.
    expect(bytes).toBeGreaterThan(bound / 10)
  }
})

/** What both processes allocate, by the process, until some work has ended. */
async function allocated(work: () => Promise<void>) {
  const { api, worker } = apart
  await Promise.all([api.startSampling(), worker.startSampling()])
  const startedAt = performance.now()
  await work()
  const tookMs = performance.now() - startedAt
  const [apiBytes, workerBytes] = await Promise.all([api.stopSampling(), worker.stopSampling()])
  return { api: apiBytes, worker: workerBytes, tookMs }
}

/** Without what they allocate at rest in that time. Anything else that a process does adds bytes, so the least is exact. */
async function bytesPerEvent(
  by: keyof typeof REQUESTS,
  rest: Awaited<ReturnType<typeof allocated>>,
) {
  const least = { api: Number.POSITIVE_INFINITY, worker: Number.POSITIVE_INFINITY }
  for (let round = 0; round < ROUNDS; round++) {
    const used = await allocated(() => deliver(apart.site, by, MEASURED))
    const restShare = used.tookMs / rest.tookMs
    for (const process of ['api', 'worker'] as const) {
      const bytes = (used[process] - rest[process] * restShare) / MEASURED
      least[process] = Math.min(least[process], bytes)
    }
  }
  return least
}

test('few files of src run for an event', async () => {
  const inspectors = [apart.api, apart.worker]
  await Promise.all(inspectors.map((inspector) => inspector.startCounting()))
  const countCalls = () => Promise.all(inspectors.map((inspector) => inspector.countCalls()))
  await sleep(REST_MS)
  const atRest = await countCalls()
  for (let event = 0; event < SINGLY; event++) await deliver(apart.site, 'REST', 1)
  const calls = await countCalls()
  const functions = calls.flatMap((counts, i) =>
    [...counts].filter(([place, count]) => count >= SINGLY && !atRest[i]?.has(place)),
  )
  const files = new Set(functions.flatMap(([place]) => OURS.exec(place)?.[1] ?? []))
  expect(files).toContain('events/publish-events.ts')
  expect(files).toContain('deliveries/attempts/make-attempt.ts')
  expect(files.size, [...files].toSorted().join('\n')).toBeLessThanOrEqual(FILES)
})

const OURS = new RegExp(`^${pathToFileURL(path.resolve('src'))}/(.+):\\d+$`)

test('few statements and notifications reach Postgres for an event', async () => {
  const { site, statements } = together
  statements.length = 0
  await sleep(REST_MS)
  const others = new Set([...statements, SHARED])
  // A job of each minute may have run in that time.
  for (const name of STATEMENTS) others.delete(name)
  let ofOne: string[] = []
  // Some come once a minute, and on a busy machine a poll may be faster than the notification.
  for (let tries = 0; tries < 300 && !isDeepStrictEqual(ofOne, STATEMENTS); tries++) {
    statements.length = 0
    await deliver(site, 'REST', 1)
    ofOne = statements.filter((name) => !others.has(name)).toSorted()
  }
  expect(ofOne).toEqual(STATEMENTS)
})
