import type { PoolClient } from 'pg'
import { beforeEach, expect, test } from 'vitest'
import { openDatabase, type Sql } from '../../src/db/client.ts'
import { parseId, publicId } from '../../src/db/ids.ts'
import { createPark, openBacklog, releaseBacklog } from '../../src/scheduling/backlog.ts'
import { createBacklogReleaser } from '../../src/scheduling/backlog-releaser.ts'
import { putOnHold, releaseProbe } from '../../src/scheduling/circuit-breaker.ts'
import { ConcurrencyLimiter } from '../../src/scheduling/concurrency-limiter.ts'
import { createHoldForRetryAfter, endWaits } from '../../src/scheduling/retry-after-hold.ts'
import { endHold } from '../../src/webhooks/end-hold.ts'
import { startTestApp } from '../support/app.ts'
import { countRows, WAITING } from '../support/count-rows.ts'
import { deliveryJobs } from '../support/jobs.ts'
import { openTransaction } from '../support/transaction.ts'
import { until } from '../support/until.ts'
import { useResource } from '../support/use-resource.ts'
import { countParked, createWebhook, publish, redeliver } from './support/backlog.ts'

/** Without workers, so that only the test changes deliveries. */
const DEADLOCKS = 'select deadlocks from pg_stat_database where datname = current_database()'

let webhookId: string

// Of its own, as the tests clear its tables.
const posthorn = await useResource(startTestApp({ role: 'api' }))
const database = await useResource(Promise.resolve(openDatabase(posthorn.database.url)))

beforeEach(async () => {
  const { pool } = posthorn.database
  await pool.query('delete from posthorn.webhook_schedules')
  await pool.query('delete from posthorn.deliveries')
  await pool.query(
    'select graphile_worker.complete_jobs(array(select id from graphile_worker.jobs))',
  )
  webhookId = await newWebhook()
})

/** Creates the only enabled webhook. */
async function newWebhook(options: Parameters<typeof createWebhook>[2] = {}): Promise<string> {
  await posthorn.database.pool.query('update posthorn.webhooks set enabled = false')
  const id = await createWebhook(posthorn, 'https://localhost:5000/', options)
  return parseId('webhook', id) as string
}

const publishSome = (count: number) =>
  publish(posthorn.database.pool, posthorn.tenant.publicOrganizationId, count)

/** Runs `action` while another connection is in a transaction that ran `begin`. Waiting for its locks for 2 s fails. */
async function duringTransaction<Result>(
  begin: (client: PoolClient) => Promise<unknown>,
  action: (sql: Sql) => Promise<Result>,
): Promise<Result> {
  using other = await openTransaction(database.pool)
  await begin(other)
  using own = await openTransaction(database.pool)
  await own.query(`set lock_timeout = '2s'`)
  const result = await action(own)
  for (const each of [own, other]) await each.query('commit')
  return result
}

/** Resolves once `count` statements wait for locks. */
async function untilBlocked(count: number): Promise<void> {
  const waiting = () => countRows(posthorn.database.pool, WAITING)
  await until(async () => (await waiting()) === count, `${count} statements wait for locks`)
}

async function setSchedule(set: string): Promise<void> {
  await posthorn.database.pool.query(
    `insert into posthorn.webhook_schedules (webhook_id) values ($1) on conflict do nothing`,
    [webhookId],
  )
  const text = `update posthorn.webhook_schedules set ${set} where webhook_id = $1`
  await posthorn.database.pool.query(text, [webhookId])
}

const newLimiter = (onFreeCapacity = () => {}) =>
  new ConcurrencyLimiter({ capacity: 10, onFreeCapacity })

function createReleaser(sql: Sql = database.pipeline, limiter = newLimiter()) {
  const nothing = () => {}
  return createBacklogReleaser(sql, limiter, nothing)
}

/** Creates a backlog. */
async function parkSome(count: number): Promise<void> {
  await setSchedule('backlog_since = now()')
  await publishSome(count)
}

interface Row {
  readonly id: string
  readonly state: string
  readonly isParked: boolean
  readonly hasPriority: boolean
}

/** All deliveries in the order of their events. */
async function deliveries(): Promise<Row[]> {
  const { rows } = await posthorn.database.pool.query<Row>(
    `select id, state, parked_at is not null as "isParked", has_priority as "hasPriority"
     from posthorn.deliveries order by event_id`,
  )
  return rows
}

const inFlight = async () =>
  (await deliveries()).filter((row) => row.state === 'pending' && !row.isParked)

const first = async () => (await deliveries())[0] as Row

const jobCount = async () => (await deliveryJobs(posthorn.database.pool)).length

test('two workers that release a backlog concurrently release each delivery once, with one job', async () => {
  await parkSome(60)
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => releaseBacklog(database.pipeline, webhookId, 3)),
  )
  const released = answers.reduce((sum, count) => sum + count, 0)
  expect(released).toBeGreaterThan(0)
  expect(await countParked(posthorn.database.pool)).toBe(60 - released)
  expect(await jobCount()).toBe(released)
})

test('a release that Postgres refuses fails for its caller, and the next one releases', async () => {
  await parkSome(3)
  const refused = duringTransaction(
    (other) => other.query('lock table posthorn.deliveries in access exclusive mode'),
    async (sql) => await createReleaser(sql).release(webhookId),
  )
  await expect(refused).rejects.toThrow(/lock timeout/)
  const releaser = createReleaser()
  await releaser.release(webhookId)
  expect(await jobCount()).toBe(3)
})

test('a hold that begins during a release waits for it, and then nothing is released', async () => {
  await parkSome(5)
  using other = await openTransaction(database.pool)
  await releaseBacklog(other, webhookId, 2)
  const hold = putOnHold(database.pool, webhookId)
  await untilBlocked(1)
  await other.query('commit')
  expect(await hold).toBe(true)
  expect(await releaseBacklog(database.pipeline, webhookId, 2)).toBe(0)
  expect(await countParked(posthorn.database.pool)).toBe(3)
})

test('a delivery that is published while its backlog is drained is found by the next release', async () => {
  await parkSome(5)
  const backlogs = createReleaser()
  // The publisher parks the delivery, as it sees an open backlog.
  await duringTransaction(
    (other) => publish(other, posthorn.tenant.publicOrganizationId, 1, 5),
    () => backlogs.releaseAll(),
  )
  const { rows } = await posthorn.database.pool.query(
    'select backlog_since from posthorn.webhook_schedules where webhook_id = $1',
    [webhookId],
  )
  expect(rows, 'the backlog is drained').toEqual([{ backlog_since: null }])
  expect(await countParked(posthorn.database.pool)).toBe(1)
  await backlogs.releaseAll()
  expect(await countParked(posthorn.database.pool)).toBe(0)
})

test('a redelivery and a worker that parks the delivery do not block each other, and the delivery has priority', async () => {
  await publishSome(1)
  await putOnHold(database.pool, webhookId)
  const { id } = await first()
  const park = createPark(database.pipeline)
  using other = await openTransaction(database.pool)
  await other.query('select from posthorn.deliveries where id = $1 for update', [id])
  const redelivery = redeliver(posthorn, { id: publicId('delivery', id) })
  await untilBlocked(1)
  const parking = park({ id, reason: 'on_hold' })
  await untilBlocked(2)
  await other.query('commit')
  await Promise.all([redelivery, parking])
  expect(await first()).toMatchObject({ isParked: true, hasPriority: true })
})

test('two workers release one probe', async () => {
  await parkSome(5)
  await putOnHold(database.pool, webhookId)
  await setSchedule('next_probe_at = now()')
  await Promise.all(Array.from({ length: 10 }, () => releaseProbe(database.pool, webhookId, 0)))
  expect(await inFlight()).toHaveLength(1)
})

test('an ordered webhook on hold is probed with its head, even if its head is locked', async () => {
  webhookId = await newWebhook({ ordered: true })
  await publishSome(3)
  await openBacklog(database.pipeline, webhookId)
  await releaseBacklog(database.pipeline, webhookId, 1)
  await putOnHold(database.pool, webhookId)
  await setSchedule('next_probe_at = now()')
  const { id } = await first()
  await duringTransaction(
    (other) => other.query('select from posthorn.deliveries where id = $1 for update', [id]),
    (sql) => releaseProbe(sql, webhookId, 0),
  )
  expect((await inFlight()).map((row) => row.id)).toEqual([id])
})

test('holds by Retry-After in different orders, edits and ends of holds do not deadlock', async () => {
  const { pool } = posthorn.database
  const webhookIds: string[] = []
  while (webhookIds.length < 10) webhookIds.push(await newWebhook())
  const edit = async (id: string) =>
    await posthorn.rest('PUT', `/webhooks/${publicId('webhook', id)}`, {
      url: `https://hooks.example.com/${Math.random()}`,
    })
  const [before] = (await pool.query(DEADLOCKS)).rows
  for (let round = 0; round < 3; round++) {
    const { rows } = await pool.query('select id, revision from posthorn.webhooks')
    const revisions = new Map(rows.map(({ id, revision }) => [id, revision]))
    await pool.query('delete from posthorn.webhook_schedules')
    await Promise.all([
      ...[webhookIds, webhookIds.toReversed()].flatMap((ids) => {
        const hold = createHoldForRetryAfter(database.pipeline)
        return ids.map((id) => hold({ webhookId: id, revision: revisions.get(id), waitMs: 0 }))
      }),
      ...webhookIds.map(edit),
      ...webhookIds.map((id) => putOnHold(pool, id)),
      ...webhookIds.map((id) => endHold(pool, id)),
      endWaits(pool, webhookIds),
    ])
  }
  const [after] = (await pool.query(DEADLOCKS)).rows
  expect(after).toEqual(before)
})
