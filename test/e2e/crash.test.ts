import { setTimeout as sleep } from 'node:timers/promises'
import { beforeEach, expect, test } from 'vitest'
import { parseId } from '../../src/db/ids.ts'
import { sweep } from '../../src/deliveries/sweep.ts'
import { openWorkerProcesses } from '../bulk-tasks/worker-processes.ts'
import { createWebhook } from '../scheduling/support/backlog.ts'
import { JOINED } from '../support/factories.ts'
import { deliveryJobs } from '../support/jobs.ts'
import { until } from '../support/until.ts'
import { useResource } from '../support/use-resource.ts'

/** The number of attempts in the retry schedule of the tests. */
const ATTEMPTS = 4

const processes = await useResource(openWorkerProcesses({ POSTHORN_LOG_LEVEL: 'info' }))
const { api, receiver } = processes
const startWorker = () => processes.start()
const jobs = () => deliveryJobs(api.database.pool)

beforeEach(async () => {
  receiver.clear()
  receiver.answer = (response) => response.end()
  const webhook = await createWebhook(api, receiver.url)
  return async () => void (await api.rest('DELETE', `/webhooks/${webhook}`))
})

test('after kill -9, every delivery in flight is sent again and none is lost; an attempt counts once it is recorded, and is sent no second time then', async () => {
  // The first six fail until their last attempt, which is not answered.
  receiver.answer = (response, { headers }) => {
    if (countOf(headers['wh-id']) < ATTEMPTS) response.writeHead(500).end()
  }
  const killed = startWorker()
  const last = await publish(6)
  await receiver.arrival(6 * ATTEMPTS)
  receiver.answer = () => {}
  const sent = await publish(5)
  await receiver.arrival(6 * ATTEMPTS + 5)
  expect(await deliveriesOf(last)).toEqual([
    { state: 'pending', attempts: ATTEMPTS - 1, recorded: ATTEMPTS - 1, count: 6 },
  ])

  // Of two attempts that are being recorded, one is committed.
  receiver.answer = (response) => response.end()
  const holder = await api.database.pool.connect()
  await holder.query('begin; lock table posthorn.attempts in share mode')
  const [lost] = await publish(1)
  await until(async () => (await blocked()).length === 1, 'the first attempt is being recorded')
  const [lostBackend] = await blocked()
  const [committed] = await publish(1)
  await until(async () => (await blocked()).length === 2, 'the second attempt is being recorded')
  killed.child.kill('SIGKILL')
  await killed.ended
  // The other backend of Postgres does not notice that its client is gone, and commits.
  await api.database.pool.query('select pg_terminate_backend($1, 5000)', [lostBackend])
  await holder.query('rollback')
  holder.release()
  // The sweep for deliveries without a job must not treat claimed jobs as failed.
  await sweep(api.database.pool, 'graphile_worker')

  const exhausted = last.slice(3)
  receiver.answer = (response, { headers }) =>
    response.writeHead(exhausted.includes(String(headers['wh-id'])) ? 500 : 200).end()
  await using _next = startWorker()
  const all = [...last, ...sent, lost, committed]
  await until(
    async () => (await deliveriesOf(all)).every(({ state }) => state !== 'pending'),
    'all deliveries finish',
    30_000,
  )
  // Each was sent once more than recorded: the request that the kill interrupted.
  expect(last.map(countOf)).toEqual(last.map(() => ATTEMPTS + 1))
  expect(sent.map(countOf)).toEqual(sent.map(() => 2))
  expect([countOf(lost), countOf(committed)]).toEqual([2, 1])
  expect(await deliveriesOf(last)).toEqual([
    { state: 'exhausted', attempts: ATTEMPTS, recorded: ATTEMPTS, count: 3 },
    { state: 'succeeded', attempts: ATTEMPTS, recorded: ATTEMPTS, count: 3 },
  ])
  expect(await deliveriesOf([...sent, lost, committed])).toEqual([
    { state: 'succeeded', attempts: 1, recorded: 1, count: 7 },
  ])
  await until(async () => {
    const left = await jobs()
    return left.length === 3 && left.every(({ lockedBy }) => lockedBy === null)
  }, 'the exhausted deliveries keep their jobs')
  const left = await jobs()
  expect(left.map(({ key }) => key).toSorted()).toEqual(exhausted)
  const lastError = expect.stringMatching(/^HTTP 500 from .* \(attempt 4 of 4\)$/)
  const job = { attempts: ATTEMPTS, maxAttempts: ATTEMPTS, lastError }
  expect(left).toMatchObject(Array(3).fill(job))
  await api.database.pool.query('select posthorn.complete_delivery_jobs($1)', [last])
})

test('the next process immediately sends deliveries requeued at SIGTERM, and finished ones are not sent again', async () => {
  // Every second request is answered after a second; the others only when they are sent again.
  const slow = new Set<unknown>()
  receiver.answer = (response, { headers }) => {
    if (receiver.received.length % 2 === 0) setTimeout(() => response.end(), 1_000)
    else if (slow.has(headers['wh-id'])) response.end()
    else slow.add(headers['wh-id'])
  }
  const worker = startWorker()
  const ids = await publish(6)
  await receiver.arrival(6)
  worker.child.kill('SIGTERM')
  await until(() => worker.stderr.includes('stopping after'), 'it stops')
  // A signal within a second of the first one is the same request.
  await sleep(1_000)
  const succeeded = async () =>
    (await deliveriesOf(ids)).find(({ state }) => state === 'succeeded')?.count
  await until(async () => (await succeeded()) === 3, 'the answered attempts are recorded')
  // The second signal aborts the other attempts.
  worker.child.kill('SIGTERM')
  expect(await worker.ended).toBe(0)
  expect(worker.stderr).toContain('aborting the attempts in flight')
  expect(worker.stderr).not.toMatch(/"level":"(error|fatal)"/)
  receiver.answer = (response) => response.end()

  await using _next = startWorker()
  await until(async () => (await jobs()).length === 0, 'no job is left')
  const counts = Map.groupBy(receiver.received, ({ headers }) => headers['wh-id'])
  expect([...counts.values()].map(({ length }) => length).sort()).toEqual([1, 1, 1, 2, 2, 2])
  const { rows } = await api.database.pool.query(
    'select distinct attempt_count from posthorn.deliveries where id = any ($1)',
    [[...counts.keys()].map((id) => parseId('delivery', String(id)))],
  )
  expect(rows).toEqual([{ attempt_count: 1 }])
})

/** Returns the ids of the deliveries, in order. */
async function publish(count: number): Promise<string[]> {
  const events = Array.from({ length: count }, (_, n) => ({ type: JOINED, data: { n } }))
  const published = await api.services.publishEvents(api.tenant.organizationId, events)
  const { rows } = await api.database.pool.query(
    `select posthorn.type_id('msg', id) as id from posthorn.deliveries where event_id = any ($1) order by id`,
    [published.map(({ id }) => parseId('event', id) ?? id)],
  )
  return rows.map(({ id }) => id)
}

/** The number of requests for a delivery. */
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

/** The backends that wait to record attempts, the first one first. The maintenance can wait for the same lock. */
async function blocked(): Promise<number[]> {
  const { rows } = await api.database.pool.query(
    `select pid from pg_stat_activity
     where datname = current_database() and cardinality(pg_blocking_pids(pid)) > 0 and query ~ '^\\s*with attempt as'
     order by query_start`,
  )
  return rows.map(({ pid }) => pid)
}
