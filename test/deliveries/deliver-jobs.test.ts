import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Database } from '../../src/db/client.ts'
import type { Delivery } from '../../src/db/generated/prisma/client.ts'
import { publicId } from '../../src/db/ids.ts'
import { createCatalogue } from '../../src/event-types/event-type.ts'
import { createPublishEvents } from '../../src/events/publish-events.ts'
import { createTestDatabase } from '../support/database.ts'
import { createTenant, JOINED, subscribe } from '../support/factories.ts'
import { claimJobs, deliveryJobs } from '../support/jobs.ts'

/* The database functions that schedule the jobs of deliveries, for every state of an existing job. */
let database: Database
let deliveries: Delivery[]

const COUNT = 3
const LATER = new Date('2100-01-01T00:00:00Z')

beforeEach(async () => {
  database = await createTestDatabase()
  const { organizationId } = await createTenant(database.prisma)
  await subscribe(database, organizationId, [JOINED])
  const events = Array.from({ length: COUNT }, (_, n) => ({ type: JOINED, data: { n } }))
  const { pool } = database
  await createPublishEvents(pool, createCatalogue(pool))(organizationId, events)
  deliveries = await database.prisma.delivery.findMany({ orderBy: { id: 'asc' } })
})
afterEach(async () => await database[Symbol.asyncDispose]())

const query = (text: string, values: unknown[] = []) => database.pool.query(text, values)
const jobs = () => deliveryJobs(database.pool)
const keys = () => deliveries.map(({ id }) => publicId('delivery', id))

interface JobFields {
  readonly runAt?: Date | null
  readonly attempts?: number
  readonly maxAttempts?: number
  readonly lastError?: string | null
}

/** Schedules a job with these fields for every delivery. */
async function schedule({
  runAt = LATER,
  attempts = 2,
  maxAttempts = 10,
  lastError = 'HTTP 503 from https://example.com',
}: JobFields = {}): Promise<void> {
  await query(
    `select posthorn.schedule_deliveries(array(
       select row(id, webhook_id, organization_id, event_type, $1, $2, $3, $4)::posthorn.delivery_job
       from posthorn.deliveries order by id))`,
    [runAt, attempts, maxAttempts, lastError],
  )
}

const SCHEDULED = {
  runAt: LATER,
  attempts: 2,
  maxAttempts: 10,
  lastError: 'HTTP 503 from https://example.com (attempt 2 of 10)',
  lockedBy: null,
}

describe('scheduling a delivery leaves one job with the right attempts, run time and error', () => {
  async function expectOneEach() {
    expect(await jobs()).toMatchObject(keys().map((key) => ({ key, ...SCHEDULED })))
  }

  test('if there was no job', async () => {
    await query('select graphile_worker.complete_jobs(array(select id from graphile_worker.jobs))')
    await schedule()
    await expectOneEach()
  })

  test('if a job was scheduled', async () => {
    await schedule({ attempts: 7, lastError: 'another error' })
    await schedule()
    await expectOneEach()
  })

  test.each(['completes', 'fails'])('if a job was running and then %s', async (ends) => {
    const worker = await claimJobs(database, COUNT)
    await schedule()
    await (ends === 'fails' ? worker.fail('an internal error') : worker.complete())
    expect((await jobs()).filter(({ key }) => key !== null)).toMatchObject(
      keys().map((key) => ({ key, ...SCHEDULED })),
    )
  })

  test('for deliveries with different numbers of attempts', async () => {
    await query(
      `select posthorn.schedule_deliveries(array(
         select row(id, webhook_id, organization_id, event_type, $1::timestamptz + n * interval '1 hour', n, 10,
           'error ' || n)::posthorn.delivery_job
         from (select *, row_number() over (order by id) - 1 as n from posthorn.deliveries) as numbered order by id))`,
      [LATER],
    )
    expect(await jobs()).toMatchObject(
      keys().map((key, n) => ({
        key,
        attempts: n,
        maxAttempts: 10,
        runAt: new Date(Number(LATER) + n * 3_600_000),
        lastError: n === 0 ? null : `error ${n} (attempt ${n} of 10)`,
      })),
    )
  })

  test('as failed, if no further attempt follows', async () => {
    await schedule({ runAt: null, attempts: 10 })
    expect(await jobs()).toMatchObject(
      keys().map((key) => ({
        key,
        attempts: 10,
        maxAttempts: 10,
        lastError: 'HTTP 503 from https://example.com (attempt 10 of 10)',
      })),
    )
  })
})

test('scheduling an empty list or null changes nothing', async () => {
  const before = await jobs()
  await query(`select posthorn.schedule_deliveries('{}'), posthorn.schedule_deliveries(null)`)
  expect(await jobs()).toEqual(before)
})

describe('bringing a delivery forward', () => {
  async function bringForward(): Promise<boolean> {
    const { rows } = await query(
      `select posthorn.run_delivery_now(
         row(id, webhook_id, organization_id, event_type, now(), 2, 10, null)::posthorn.delivery_job) as "isDone"
       from posthorn.deliveries order by id limit 1`,
    )
    return rows[0].isDone
  }

  test('makes a scheduled job due now, with the same id and error', async () => {
    await schedule()
    const [before] = await jobs()
    expect(await bringForward()).toBe(true)
    const [after, ...others] = await jobs()
    expect(after).toMatchObject({ id: before?.id, attempts: 2, lastError: SCHEDULED.lastError })
    expect(Number(after?.runAt)).toBeLessThanOrEqual(Date.now() + 1_000)
    expect(others).toMatchObject([{ runAt: LATER }, { runAt: LATER }])
  })

  test('makes a failed job due now', async () => {
    await schedule({ runAt: null, attempts: 10 })
    expect(await bringForward()).toBe(true)
    expect((await jobs())[0]).toMatchObject({ attempts: 2, maxAttempts: 10 })
  })

  test('adds a missing job', async () => {
    await query('select graphile_worker.complete_jobs(array(select id from graphile_worker.jobs))')
    expect(await bringForward()).toBe(true)
    expect(await jobs()).toMatchObject([{ key: keys()[0], attempts: 2, maxAttempts: 10 }])
  })

  test('changes nothing while an attempt is running', async () => {
    await using _worker = await claimJobs(database, COUNT)
    const before = await jobs()
    expect(await bringForward()).toBe(false)
    expect(await jobs()).toEqual(before)
  })
})

test('completing the jobs of deliveries skips running jobs', async () => {
  await schedule()
  await query('select graphile_worker.reschedule_jobs(array[$1::bigint], run_at := now())', [
    (await jobs())[0]?.id,
  ])
  await using _worker = await claimJobs(database, 1)
  const { rows } = await query('select posthorn.complete_delivery_jobs($1) as completed', [keys()])
  expect(rows).toEqual([{ completed: COUNT - 1 }])
  expect((await jobs()).map(({ key }) => key)).toEqual([keys()[0]])
})
