import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parseId } from '../../src/db/ids.ts'
import { sweep } from '../../src/deliveries/sweep.ts'
import { startTestApp, type TestApp, testEnvironment } from '../support/app.ts'
import { JOINED } from '../support/factories.ts'
import { type PosthornProcess, startPosthorn } from '../support/posthorn-process.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { until } from '../support/until.ts'

/** By the retry schedule of tests. */
const ATTEMPTS = 4

let receiver: Receiver
let api: TestApp
let directory: string

beforeAll(async () => {
  receiver = await startReceiver()
  directory = await mkdtemp(path.join(tmpdir(), 'posthorn crash '))
  await writeFile(path.join(directory, 'ca.pem'), receiver.authority)
  api = await startTestApp({ role: 'api' })
})
afterAll(async () => {
  await api[Symbol.asyncDispose]()
  await receiver[Symbol.asyncDispose]()
  await rm(directory, { recursive: true, force: true })
})

test('kill -9 between sending and recording: the delivery repeats once it is rescued, and nothing is lost', async () => {
  const webhook = await register()
  // It has the request and never answers, so the kill falls between sending and recording.
  receiver.answer = () => {}
  const doomed = startWorker()
  const count = 50
  await publish(count)
  await until(() => receiver.received.length >= 10, 'requests are in flight')
  doomed.child.kill('SIGKILL')
  await doomed.ended
  const killedAt = Date.now()
  const inFlight = new Set(receiver.received.map((arrived) => arrived.headers['wh-id']))

  receiver.clear()
  receiver.answer = (response) => response.end()
  await using _next = startWorker()
  await until(
    async () => (await stateCounts())['succeeded'] === count,
    'every delivery succeeds',
    30_000,
  )
  // A rescue takes 15 s at most; the rest is for a busy machine.
  expect(Date.now() - killedAt).toBeLessThan(20_000)

  const arrived = receiver.received.map((request) => request.headers['wh-id'])
  expect(new Set(arrived).size).toBe(count)
  for (const id of inFlight) expect(arrived).toContain(id)
  await until(async () => (await jobCount()) === 0, 'no job is left')
  await api.rest('DELETE', `/webhooks/${webhook}`)
}, 60_000)

test('kill -9 during the last attempt of a schedule exhausts and cancels nothing, and the rescue uses up no attempt', async () => {
  const webhook = await register()
  receiver.clear()
  receiver.answer = (response, { headers }) => {
    if (countOf(headers['wh-id']) < ATTEMPTS) response.writeHead(500).end()
  }
  const doomed = startWorker()
  const ids = await publish(6)
  await receiver.arrival(6 * ATTEMPTS)
  doomed.child.kill('SIGKILL')
  await doomed.ended
  // What looks for deliveries without a job must not take the claims for failed jobs.
  await sweep(api.database.pool, 'graphile_worker')
  expect(await deliveriesOf(ids)).toEqual([
    { state: 'pending', attempts: ATTEMPTS - 1, recorded: ATTEMPTS - 1, count: 6 },
  ])

  const failing = new Set(ids.slice(3))
  receiver.answer = (response, { headers }) =>
    response.writeHead(failing.has(String(headers['wh-id'])) ? 500 : 200).end()
  await using _next = startWorker()
  await until(
    async () => (await deliveriesOf(ids)).every(({ state }) => state !== 'pending'),
    'all end',
    30_000,
  )
  // Each was sent once more than is on record: the request that the kill cut off.
  expect(ids.map(countOf)).toEqual(ids.map(() => ATTEMPTS + 1))
  expect(await deliveriesOf(ids)).toEqual([
    { state: 'exhausted', attempts: ATTEMPTS, recorded: ATTEMPTS, count: 3 },
    { state: 'succeeded', attempts: ATTEMPTS, recorded: ATTEMPTS, count: 3 },
  ])
  await until(async () => (await jobs()).length === 3, 'the exhausted ones keep their jobs')
  expect(await jobs()).toEqual(
    ids.slice(3).map((key) => ({
      key,
      attempts: ATTEMPTS,
      max_attempts: ATTEMPTS,
      locked: false,
      last_error: expect.stringMatching(/^HTTP 500 from .* \(attempt 4 of 4\)$/),
    })),
  )
  await completeJobs(ids)
  await api.rest('DELETE', `/webhooks/${webhook}`)
}, 60_000)

test('kill -9 in the middle of recording: what was committed is not sent again, and the rest repeats once', async () => {
  const webhook = await register()
  receiver.clear()
  receiver.answer = (response) => response.end()
  const doomed = startWorker()
  const holder = await api.database.pool.connect()
  await holder.query('begin; lock table posthorn.attempts in share mode')
  const [lost] = await publish(1)
  await until(async () => (await blocked()).length === 1, 'the first is being recorded')
  const [lostBackend] = await blocked()
  const [committed] = await publish(1)
  await until(async () => (await blocked()).length === 2, 'the second is being recorded')
  doomed.child.kill('SIGKILL')
  await doomed.ended
  // A server process of Postgres does not notice that its client is gone: it commits.
  await api.database.pool.query('select pg_terminate_backend($1, 5000)', [lostBackend])
  await holder.query('rollback')
  holder.release()

  await using _next = startWorker()
  await until(async () => (await jobCount()) === 0, 'nothing is left', 30_000)
  expect([countOf(lost), countOf(committed)]).toEqual([2, 1])
  expect(await deliveriesOf([lost, committed])).toEqual([
    { state: 'succeeded', attempts: 1, recorded: 1, count: 2 },
  ])
  await api.rest('DELETE', `/webhooks/${webhook}`)
}, 60_000)

test('SIGTERM finishes what is in flight, and ends with exit code 0', async () => {
  await register()
  receiver.clear()
  receiver.answer = (response) => setTimeout(() => response.end(), 500)
  const worker = startWorker()
  const ids = await publish(5)
  await receiver.arrival(5)
  worker.child.kill('SIGTERM')
  expect(await worker.ended).toBe(0)
  expect(await deliveriesOf(ids)).toEqual([
    { state: 'succeeded', attempts: 1, recorded: 1, count: 5 },
  ])
  expect(await jobCount()).toBe(0)
}, 60_000)

test('SIGTERM requeues what a hanging receiver keeps, and uses up no attempt', async () => {
  receiver.clear()
  receiver.answer = () => {}
  const worker = startWorker()
  const [id] = await publish(1)
  await receiver.arrival(1)
  worker.child.kill('SIGTERM')
  expect(await worker.ended).toBe(0)
  expect(await deliveriesOf([id])).toEqual([
    { state: 'pending', attempts: 0, recorded: 0, count: 1 },
  ])
  expect(await jobs()).toEqual([
    { key: id, attempts: 0, max_attempts: ATTEMPTS, locked: false, last_error: null },
  ])
}, 60_000)

test('what is requeued at SIGTERM goes out with the next process at once, and what ended in time was sent once', async () => {
  await settle()
  // Every other request is answered after a second, the others never by the process that is ended.
  const slow = new Set<unknown>()
  receiver.answer = (response, { headers }) => {
    if (receiver.received.length % 2 === 0) setTimeout(() => response.end(), 1_000)
    else if (slow.has(headers['wh-id'])) response.end()
    else slow.add(headers['wh-id'])
  }
  const worker = startWorker()
  await publish(6)
  await receiver.arrival(6)
  worker.child.kill('SIGTERM')
  await sleep(1_500)
  // The second signal: it does not wait for the rest.
  const hurriedAt = performance.now()
  worker.child.kill('SIGTERM')
  expect(await worker.ended).toBe(0)
  expect(performance.now() - hurriedAt).toBeLessThan(5_000)
  expect(worker.stderr).not.toMatch(/"level":"(error|fatal)"/)
  receiver.answer = (response) => response.end()

  await using _next = startWorker()
  await until(async () => (await jobCount()) === 0, 'nothing is left')
  const counts = Map.groupBy(receiver.received, ({ headers }) => headers['wh-id'])
  expect([...counts.values()].map(({ length }) => length).sort()).toEqual([1, 1, 1, 2, 2, 2])
  const { rows } = await api.database.pool.query(
    'select distinct attempt_count from posthorn.deliveries where id = any ($1)',
    [[...counts.keys()].map((id) => parseId('delivery', String(id)))],
  )
  expect(rows).toEqual([{ attempt_count: 1 }])
}, 60_000)

/** Lets everything that earlier tests left be delivered. */
async function settle(): Promise<void> {
  receiver.answer = (response) => response.end()
  await using _worker = startWorker()
  await until(async () => (await jobCount()) === 0, 'nothing is left')
  receiver.clear()
}

function startWorker(): PosthornProcess {
  return startPosthorn(['start', '--role', 'worker'], {
    environment: {
      ...testEnvironment(api.database.url),
      POSTHORN_EGRESS_CA_FILE: path.join(directory, 'ca.pem'),
    },
  })
}

async function register(): Promise<string> {
  const response = await api.rest('POST', '/webhooks', {
    url: receiver.url,
    event_subscriptions: [JOINED],
    enabled: true,
  })
  return (await response.json()).id
}

/** Answers the ids of the deliveries, in order. */
async function publish(count: number): Promise<string[]> {
  const events = Array.from({ length: count }, (_, n) => ({ type: JOINED, data: { n } }))
  const published = await api.app.services.publishEvents(api.tenant.organizationId, events)
  const { rows } = await api.database.pool.query(
    `select posthorn.type_id('msg', id) as id from posthorn.deliveries where event_id = any ($1) order by id`,
    [published.map(({ id }) => parseId('event', id) ?? id)],
  )
  return rows.map(({ id }) => id)
}

/** How often a delivery arrived. */
function countOf(id: unknown): number {
  return receiver.received.filter(({ headers }) => headers['wh-id'] === id).length
}

async function deliveriesOf(ids: readonly unknown[]) {
  const { rows } = await api.database.pool.query(
    `select d.state, attempt_count as attempts,
       (select count(*)::int from posthorn.attempts as a where a.delivery_id = d.id) as recorded, count(*)::int as count
     from posthorn.deliveries as d where posthorn.type_id('msg', d.id) = any ($1) group by 1, 2, 3 order by state::text`,
    [ids],
  )
  return rows
}

/** The backends that wait for a lock. */
async function blocked(): Promise<number[]> {
  const { rows } = await api.database.pool.query(
    `select pid from pg_stat_activity
     where datname = current_database() and cardinality(pg_blocking_pids(pid)) > 0 order by query_start`,
  )
  return rows.map(({ pid }) => pid)
}

async function stateCounts(): Promise<Record<string, number>> {
  const { rows } = await api.database.pool.query(
    'select state, count(*)::int as n from posthorn.deliveries group by 1',
  )
  return Object.fromEntries(rows.map((row) => [row.state, row.n]))
}

/** The jobs of deliveries as a dashboard sees them. */
async function jobs() {
  const { rows } = await api.database.pool.query(
    `select key, attempts, max_attempts, locked_at is not null as locked, last_error
     from graphile_worker.jobs where task_identifier = 'posthorn:deliver' order by key`,
  )
  return rows
}

async function jobCount(): Promise<number> {
  return (await jobs()).length
}

async function completeJobs(keys: readonly string[]): Promise<void> {
  await api.database.pool.query('select posthorn.complete_delivery_jobs($1)', [keys])
}
