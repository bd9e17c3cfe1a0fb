import type { PoolClient } from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Database, openDatabase, type Sql } from '../../src/db/client.ts'
import { parseId, publicId } from '../../src/db/ids.ts'
import { createPark, openBacklog, releaseBacklog } from '../../src/scheduling/backlog.ts'
import { createBacklogReleaser } from '../../src/scheduling/backlog-releaser.ts'
import { putOnHold, releaseProbe } from '../../src/scheduling/circuit-breaker.ts'
import { ConcurrencyLimiter } from '../../src/scheduling/concurrency-limiter.ts'
import { pruneSchedules } from '../../src/scheduling/prune-schedules.ts'
import { createReserve } from '../../src/scheduling/rate-limit.ts'
import { startTestApp, type TestApp } from '../support/app.ts'
import { until } from '../support/until.ts'
import { countParked, createWebhook, publish } from './support/backlog.ts'

/** Without workers, so that each step is the test's own. */
let posthorn: TestApp
/** As another process has it. */
let database: Database
let webhookId: string

beforeAll(async () => {
  posthorn = await startTestApp({ role: 'api' })
  database = openDatabase(posthorn.database.url)
})
afterAll(async () => {
  await database[Symbol.asyncDispose]()
  await posthorn[Symbol.asyncDispose]()
})
beforeEach(async () => {
  const { pool } = posthorn.database
  await pool.query('delete from posthorn.webhook_schedules')
  await pool.query('delete from posthorn.deliveries')
  await pool.query(
    'select graphile_worker.complete_jobs(array(select id from graphile_worker.jobs))',
  )
  webhookId = await newWebhook()
})

/** The only one that is enabled. */
async function newWebhook(options: Parameters<typeof createWebhook>[2] = {}): Promise<string> {
  await posthorn.database.pool.query('update posthorn.webhooks set enabled = false')
  const id = await createWebhook(posthorn, 'https://localhost:5000/', options)
  return parseId('webhook', id) as string
}

const publishSome = (count: number) =>
  publish(posthorn.database.pool, posthorn.tenant.publicOrganizationId, count)

/** While another process is in the middle of a transaction; what would wait for it fails instead. */
async function beside<Answer>(
  begun: (client: PoolClient) => Promise<unknown>,
  meanwhile: (sql: Sql) => Promise<Answer>,
): Promise<Answer> {
  const other = await database.pool.connect()
  const own = await database.pool.connect()
  try {
    await other.query('begin')
    await begun(other)
    await own.query(`set lock_timeout = '2s'`)
    return await meanwhile(own)
  } finally {
    await other.query('commit')
    await own.query('reset lock_timeout')
    other.release()
    own.release()
  }
}

/** Resolves once so many statements wait for locks. */
async function untilBlocked(count: number): Promise<void> {
  await until(async () => {
    const { rowCount } = await posthorn.database.pool.query(
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    )
    return rowCount === count
  }, `${count} wait`)
}

async function setSchedule(set: string): Promise<void> {
  await posthorn.database.pool.query(
    `insert into posthorn.webhook_schedules (webhook_id) values ($1) on conflict do nothing`,
    [webhookId],
  )
  await posthorn.database.pool.query(
    `update posthorn.webhook_schedules set ${set} where webhook_id = $1`,
    [webhookId],
  )
}

/** A backlog of so many deliveries. */
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

/** In the order of their events. */
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

async function jobCount(): Promise<number> {
  const { rows } = await posthorn.database.pool.query<{ count: number }>(
    `select count(*)::int as count from graphile_worker.jobs where task_identifier = 'posthorn:deliver'`,
  )
  return rows[0]?.count ?? 0
}

test('two workers that release one backlog at once release each delivery once, with one job', async () => {
  await parkSome(60)
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => releaseBacklog(database.pipeline, webhookId, 3)),
  )
  const released = answers.reduce((sum, count) => sum + count, 0)
  expect(released).toBeGreaterThan(0)
  expect(await countParked(posthorn.database.pool)).toBe(60 - released)
  expect(await jobCount()).toBe(released)
})

test('two workers never release two deliveries of an ordered webhook', async () => {
  webhookId = await newWebhook({ ordered: true })
  await publishSome(200)
  await openBacklog(database.pipeline, webhookId)
  let isDone = false
  let most = 0
  const order: string[] = []

  async function releaseOn(): Promise<void> {
    while (!isDone) await releaseBacklog(database.pipeline, webhookId, 1)
  }

  async function succeed(): Promise<void> {
    while (order.length < 200) {
      const { rows } = await posthorn.database.pool.query<{ id: string; event_id: string }>(
        `update posthorn.deliveries set state = 'succeeded', finished_at = now(), next_attempt_at = null
         where state = 'pending' and parked_at is null returning id, event_id`,
      )
      most = Math.max(most, rows.length)
      order.push(...rows.map((row) => row.event_id))
    }
    isDone = true
  }

  await Promise.all([releaseOn(), releaseOn(), releaseOn(), succeed()])
  expect(most).toBe(1)
  expect(order).toEqual(order.toSorted())
}, 60_000)

test('a backlog is released while idle schedules are pruned', async () => {
  await parkSome(5)
  const released = await beside(pruneSchedules, (sql) => releaseBacklog(sql, webhookId, 2))
  expect(released).toBe(2)
})

test('a hold that begins while a backlog is released begins after it, and then nothing is released', async () => {
  await parkSome(5)
  let hold: Promise<boolean> | null = null
  await beside(
    (other) => releaseBacklog(other, webhookId, 2),
    async () => {
      hold = putOnHold(database.pool, webhookId, new Date())
      await untilBlocked(1)
    },
  )
  expect(await hold).toBe(true)
  expect(await releaseBacklog(database.pipeline, webhookId, 2)).toBe(0)
  expect(await countParked(posthorn.database.pool)).toBe(3)
})

test('nothing is released beside a hold that is about to begin', async () => {
  await parkSome(5)
  const released = await beside(
    (other) => putOnHold(other, webhookId, new Date()),
    (sql) => releaseBacklog(sql, webhookId, 2),
  )
  expect(released).toBe(0)
})

test('a delivery that is published while its backlog is found drained is found within a look', async () => {
  await parkSome(5)
  const limiter = new ConcurrencyLimiter({ capacity: 10, onRoom: () => {} })
  const backlogs = createBacklogReleaser(database.pipeline, limiter, () => new Date())
  // The publisher saw the backlog open.
  await beside(
    (other) => publish(other, posthorn.tenant.publicOrganizationId, 1, 5),
    () => backlogs.look(),
  )
  const { rows } = await posthorn.database.pool.query(
    'select backlog_since from posthorn.webhook_schedules where webhook_id = $1',
    [webhookId],
  )
  expect(rows, 'it was found drained').toEqual([{ backlog_since: null }])
  expect(await countParked(posthorn.database.pool)).toBe(1)
  await backlogs.look()
  expect(await countParked(posthorn.database.pool)).toBe(0)
})

test('an ordered webhook whose schedule is in use at the moment of a release is looked at soon', async () => {
  webhookId = await newWebhook({ ordered: true })
  const limiter = new ConcurrencyLimiter({ capacity: 10, onRoom: () => {} })
  const backlogs = createBacklogReleaser(database.pipeline, limiter, () => new Date())
  // As when a worker reported its limit.
  await setSchedule('concurrency_limit = 20')
  await publishSome(1)
  let release: Promise<void> | null = null
  await beside(
    (other) =>
      other.query('select from posthorn.webhook_schedules where webhook_id = $1 for update', [
        webhookId,
      ]),
    async () => {
      release = backlogs.release(webhookId)
      await Promise.race([release, untilBlocked(1)])
    },
  )
  await release
  await backlogs.look()
  expect(await inFlight()).toHaveLength(1)
})

test('an ordered webhook is released although its schedule was pruned since the last look', async () => {
  webhookId = await newWebhook({ ordered: true })
  const limiter = new ConcurrencyLimiter({ capacity: 10, onRoom: () => {} })
  const backlogs = createBacklogReleaser(database.pipeline, limiter, () => new Date())
  await publishSome(1)
  await setSchedule('backlog_drained_at = now()')
  await backlogs.look()
  await posthorn.database.pool.query(
    `update posthorn.deliveries set state = 'succeeded', finished_at = now(), next_attempt_at = null`,
  )
  await backlogs.look()
  await setSchedule(`backlog_since = null, backlog_drained_at = now() - interval '2 minutes'`)
  await backlogs.look()
  await pruneSchedules(database.pipeline)
  await publishSome(1)
  await backlogs.release(webhookId)
  expect(await inFlight()).toHaveLength(1)
})

test('a backlog that nobody looks at is found again, and the schedule of a deleted webhook is deleted', async () => {
  const { pool } = posthorn.database
  await parkSome(5)
  await pool.query('delete from posthorn.webhook_schedules')
  const schedules = async () =>
    (await pool.query('select backlog_since is not null as open from posthorn.webhook_schedules'))
      .rows
  expect(await pruneSchedules(database.pipeline)).toBe(1)
  expect(await schedules()).toEqual([{ open: true }])

  await pool.query(
    'update posthorn.webhooks set enabled = false, deleted_at = now() where id = $1',
    [webhookId],
  )
  await pruneSchedules(database.pipeline)
  expect(await schedules()).toEqual([])
})

test('a redelivery and a worker that parks the delivery do not block each other; it is the next to go out', async () => {
  await publishSome(1)
  await putOnHold(database.pool, webhookId, new Date())
  const { id } = await first()
  const park = createPark(database.pipeline)
  let both: Promise<unknown> | null = null
  await beside(
    (other) => other.query('select from posthorn.deliveries where id = $1 for update', [id]),
    async () => {
      const redelivery = posthorn.graphql(
        'mutation ($id: ID!) { redeliver(id: $id) { __typename } }',
        { id: publicId('delivery', id) },
      )
      await untilBlocked(1)
      const parking = park({ id, reason: 'on_hold' })
      await untilBlocked(2)
      both = Promise.all([redelivery, parking])
    },
  )
  await both
  expect(await first()).toMatchObject({ isParked: true, hasPriority: true })
})

test('a redelivery that was asked for while its delivery was parked is made once', async () => {
  const { pool } = posthorn.database
  await parkSome(1)
  await pool.query(
    'update posthorn.deliveries set redelivery_requested = true, has_priority = true',
  )
  await releaseBacklog(database.pipeline, webhookId, 1)
  const { rows } = await pool.query('select redelivery_requested from posthorn.deliveries')
  expect(rows).toEqual([{ redelivery_requested: false }])
})

const inAMinute = () => new Date(Date.now() + 60_000)

test('a probe leaves alone what somebody redelivers at the moment, and goes out afterwards', async () => {
  await parkSome(1)
  await putOnHold(database.pool, webhookId, new Date())
  const lockAll = (other: Sql) => other.query('select from posthorn.deliveries for update')
  await beside(lockAll, (sql) => releaseProbe(sql, webhookId, 0, inAMinute()))
  expect(await inFlight()).toHaveLength(0)
  await releaseProbe(database.pool, webhookId, 0, inAMinute())
  expect(await inFlight()).toHaveLength(1)
})

test('two workers send one probe', async () => {
  await parkSome(5)
  await putOnHold(database.pool, webhookId, new Date())
  const at = inAMinute()
  await Promise.all(Array.from({ length: 10 }, () => releaseProbe(database.pool, webhookId, 0, at)))
  expect(await inFlight()).toHaveLength(1)
})

describe('an ordered webhook on hold', () => {
  beforeEach(async () => {
    webhookId = await newWebhook({ ordered: true })
    await publishSome(3)
    await openBacklog(database.pipeline, webhookId)
  })

  test('is probed with its head, also where somebody changes it at the moment', async () => {
    await releaseBacklog(database.pipeline, webhookId, 1)
    await putOnHold(database.pool, webhookId, new Date())
    const { id } = await first()
    await beside(
      (other) => other.query('select from posthorn.deliveries where id = $1 for update', [id]),
      (sql) => releaseProbe(sql, webhookId, 0, inAMinute()),
    )
    expect((await inFlight()).map((row) => row.id)).toEqual([id])
  })

  test('is sent nothing beside its probe when it is resumed', async () => {
    await putOnHold(database.pool, webhookId, new Date())
    await releaseProbe(database.pool, webhookId, 0, inAMinute())
    const id = publicId('webhook', webhookId)
    await posthorn.graphql('mutation ($id: ID!) { resumeWebhook(id: $id) { __typename } }', { id })
    expect(await releaseBacklog(database.pipeline, webhookId, 1)).toBe(0)
    expect(await inFlight()).toHaveLength(1)
  })
})

test('two workers reserve each moment once, and none later than a second from now', async () => {
  await setSchedule(`next_reservation_at = now() + interval '500 milliseconds'`)
  const nextAt = async () => {
    const { rows } = await posthorn.database.pool.query<{ ms: number }>(
      `select (1000 * extract(epoch from next_reservation_at))::float8 as ms from posthorn.webhook_schedules`,
    )
    return rows[0]?.ms ?? 0
  }
  const first = await nextAt()
  const answers = await Promise.all(
    Array.from({ length: 60 }, () =>
      createReserve(database.pipeline)({ webhookId, ratePerSecond: 50 }),
    ),
  )
  const reserved = answers.filter((inMs) => inMs !== null)
  expect(reserved.length).toBeGreaterThan(20)
  expect(Math.max(...reserved)).toBeLessThanOrEqual(1_000)
  expect((await nextAt()) - first).toBeGreaterThanOrEqual(reserved.length * 20 - 0.01)
})

test('a delivery that was released too late for its reservation gets another one, before the rest of the backlog', async () => {
  await parkSome(1)
  const reserve = createReserve(database.pipeline)
  expect(await reserve({ webhookId, ratePerSecond: 10 })).toBeLessThan(100)
})

test('two workers that reserve for the same webhooks in another order do not block each other', async () => {
  const webhookIds = await Promise.all(Array.from({ length: 20 }, () => newWebhook()))
  for (let round = 0; round < 20; round++) {
    await posthorn.database.pool.query('delete from posthorn.webhook_schedules')
    await Promise.all(
      [webhookIds, webhookIds.toReversed()].map(async (ids) => {
        const reserve = createReserve(database.pipeline)
        const ratePerSecond = 10
        const answers = await Promise.all(
          ids.map((id) => reserve({ webhookId: id, ratePerSecond })),
        )
        expect(answers).not.toContain(null)
      }),
    )
  }
})

test('a release that is asked for while one runs is made after it, and sees more', async () => {
  const { pool } = posthorn.database
  await setSchedule('backlog_since = now()')
  const answered = Promise.withResolvers<void>()
  let asked = 0
  // The answer of the first statement is late.
  const sql = {
    async query(query: { text: string; values: unknown[] }) {
      const result = await pool.query(query)
      if (query.text.includes('picked')) asked += 1
      if (asked === 1) await answered.promise
      return result
    },
  } as Sql
  const limiter = new ConcurrencyLimiter({ capacity: 10, onRoom: () => {} })
  const backlogs = createBacklogReleaser(sql, limiter, () => new Date())
  const earlier = backlogs.release(webhookId)
  await until(() => asked === 1, 'the first has looked')
  await setSchedule('backlog_since = now(), backlog_drained_at = null')
  await publishSome(3)
  const later = backlogs.release(webhookId)
  answered.resolve()
  await Promise.all([earlier, later])
  expect(await countParked(pool)).toBe(0)
})

test('one look finds all that publishers added to a drained backlog, and then no attempt asks for more', async () => {
  const { pool } = posthorn.database
  await parkSome(5)
  // As when another process found it drained before that publisher committed.
  await setSchedule('backlog_since = null, backlog_drained_at = now()')
  let asked = 0
  const limiter = new ConcurrencyLimiter({
    capacity: 10,
    onRoom: () => {
      asked += 1
    },
  })
  const attempt = async () => {
    const candidate = { webhookId, organizationId: 'org', maxInFlight: 20 }
    expect(await limiter.acquire(candidate)).toBe('acquired')
    limiter.release(candidate, null)
  }
  const backlogs = createBacklogReleaser(database.pipeline, limiter, () => new Date())
  await backlogs.look()
  expect(await countParked(pool)).toBe(0)
  await backlogs.look()
  await attempt()
  expect(asked).toBe(0)

  await setSchedule('backlog_since = now(), backlog_drained_at = null')
  await publishSome(100)
  await backlogs.look()
  expect(await countParked(pool)).toBeGreaterThan(0)
  await attempt()
  expect(asked).toBe(1)
})
