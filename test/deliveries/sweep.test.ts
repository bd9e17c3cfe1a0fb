import { beforeEach, describe, expect, test } from 'vitest'
import type { Delivery } from '../../src/db/generated/prisma/client.ts'
import { publicId } from '../../src/db/ids.ts'
import { createRecordAttempt } from '../../src/deliveries/attempts/record-attempt.ts'
import { backfillIndex } from '../../src/deliveries/backfill-index.ts'
import { sweep as sweepJobs } from '../../src/deliveries/sweep.ts'
import { createCatalogue } from '../../src/event-types/event-type.ts'
import { createPublishEvents } from '../../src/events/publish-events.ts'
import { markAbandoned, rescueWorkers } from '../../src/queue/rescue.ts'
import { completeFinishedJobs } from '../../src/run/maintenance.ts'
import { releaseBacklog } from '../../src/scheduling/backlog.ts'
import { attemptOf } from '../support/attempts.ts'
import { createTenant, JOINED, subscribe } from '../support/factories.ts'
import { useFreshDatabase } from '../support/fresh-database.ts'
import { claimJobs, deliveryJobs, type JobRow } from '../support/jobs.ts'
import { until } from '../support/until.ts'

const SCHEMA = 'graphile_worker'
const WITHOUT_WAITING = { pageSize: 3, recheckAfterMs: 0, olderThanMs: -60_000, pauseFactor: 0 }
const COUNT = 10
const NOTHING = { restored: [], canceled: [] }

let deliveries: Delivery[]

const database = useFreshDatabase()
beforeEach(async () => {
  const { organizationId } = await createTenant(database.prisma)
  await subscribe(database, organizationId, [JOINED])
  const events = Array.from({ length: COUNT }, (_, n) => ({ type: JOINED, data: { n } }))
  const { pool } = database
  await createPublishEvents(pool, createCatalogue(pool))(organizationId, events)
  deliveries = await database.prisma.delivery.findMany({ orderBy: { id: 'asc' } })
})

const query = (text: string, values: unknown[] = []) => database.pool.query(text, values)
const sweep = (options = {}) => sweepJobs(database.pool, SCHEMA, { ...WITHOUT_WAITING, ...options })
const jobs = () => deliveryJobs(database.pool)
const idOf = ({ id }: Delivery) => publicId('delivery', id)
const ALL = 'array(select id from graphile_worker.jobs)'
const RESTORE_ALL =
  'select posthorn.restore_delivery_jobs(array(select id from posthorn.deliveries))'

describe('a job that an operator completed or deleted', () => {
  test('is restored for a delivery that has been pending for long, too', async () => {
    await untilBackfilled()
    await query(`select graphile_worker.complete_jobs(${ALL})`)
    expect((await sweep()).restored).toHaveLength(COUNT)
  })

  test('is restored for a delivery that was released before its first attempt', async () => {
    const [parked] = deliveries as [Delivery]
    await park(parked)
    await untilBackfilled()
    expect(await releaseBacklog(database.pool, parked.webhookId, 5)).toBe(1)
    await query('select graphile_worker.remove_job($1)', [idOf(parked)])
    expect(await sweep()).toEqual({ restored: [idOf(parked)], canceled: [] })
  })

  test('is not restored if its delivery has finished or is parked', async () => {
    await query(`select graphile_worker.complete_jobs(${ALL})`)
    for (const [i, state] of ['succeeded', 'exhausted', 'canceled'].entries()) {
      await query(
        `update posthorn.deliveries set state = $2::posthorn.delivery_state, finished_at = now(),
           next_attempt_at = null where id = $1`,
        [deliveries[i]?.id, state],
      )
    }
    await park(deliveries[3] as Delivery)
    expect((await sweep()).restored.toSorted()).toEqual(deliveries.slice(4).map(idOf))
  })

  test('is not restored for a young delivery', async () => {
    await query(`select graphile_worker.complete_jobs(${ALL})`)
    expect(await sweep({ olderThanMs: 60_000 })).toEqual(NOTHING)
  })
})

test('a change that Posthorn makes to a job does not count as the change of an operator: recording failed attempts, releasing, rescuing and rescheduling', async () => {
  const { pool } = database
  const [failed, parked, rescued] = deliveries as [Delivery, Delivery, Delivery]
  const record = createRecordAttempt(pool)
  await record(attemptOf(failed, 503, { next: { kind: 'retry', delayMs: 0 }, retriesLeft: 1 }))

  await park(parked, `, attempt_count = 1, last_error = 'HTTP 503'`)
  expect(await releaseBacklog(pool, parked.webhookId, 5)).toBe(1)

  const worker = await claimJobs(database, COUNT)
  const claimed = (await jobs()).find(({ key }) => key === idOf(rescued))?.lockedBy as string
  await markAbandoned(pool, claimed)
  expect(await rescueWorkers(pool, SCHEMA, [claimed])).toBe(COUNT)
  await worker.complete()

  await query(`select graphile_worker.reschedule_jobs(${ALL}, run_at := now())`)
  expect(await sweep()).toEqual(NOTHING)

  // Then every job fails by an internal error until it has no attempts left.
  for (let i = 0; i < 2; i++) {
    await query('update posthorn.deliveries set max_attempts = attempt_count + 1')
    await query(RESTORE_ALL)
    const failing = await claimJobs(database, COUNT)
    await failing.fail('an internal error')
    expect(await sweep()).toMatchObject({ canceled: [] })
  }
})

describe('failed jobs', () => {
  const HOUR_MS = 3_600_000

  test('of finished deliveries are completed after the retention of failed jobs, those of pending deliveries never', async () => {
    const record = createRecordAttempt(database.pool)
    const [exhausted, pending] = deliveries as [Delivery, Delivery]
    await record(attemptOf(exhausted, 503))
    await query(
      'select graphile_worker.permanently_fail_jobs(array(select id from graphile_worker.jobs where key = $1))',
      [idOf(pending)],
    )
    expect(await completeFinishedJobs(database.pool, SCHEMA, HOUR_MS)).toBe(0)
    expect(await completeFinishedJobs(database.pool, SCHEMA, -HOUR_MS)).toBe(1)
    const keys = (await jobs()).map(({ key }) => key)
    expect(keys).not.toContain(idOf(exhausted))
    expect(keys).toContain(idOf(pending))
  })

  test('are completed at once if they were replaced and their worker died', async () => {
    const [delivery] = deliveries as [Delivery]
    const worker = await claimJobs(database, COUNT)
    await query('select posthorn.restore_delivery_jobs(array[$1::uuid])', [delivery.id])
    const retired = (await jobs()).find(({ key }) => key === null) as JobRow
    await query('select graphile_worker.force_unlock_workers(array[$1])', [retired.lockedBy])
    expect(await completeFinishedJobs(database.pool, SCHEMA, HOUR_MS)).toBe(1)
    expect((await jobs()).map(({ key }) => key)).not.toContain(null)
    await worker[Symbol.asyncDispose]()
  })

  test('of other programs are never completed', async () => {
    await query(`select graphile_worker.add_job('deliver', '{}', max_attempts := 1)`)
    await query(
      `select graphile_worker.permanently_fail_jobs(array(
         select id from graphile_worker.jobs where task_identifier = 'deliver'))`,
    )
    expect(await completeFinishedJobs(database.pool, SCHEMA, -HOUR_MS)).toBe(0)
  })
})

/** Opens a backlog of the webhook with one delivery, which has no job then. */
async function park(parked: Delivery, others = ''): Promise<void> {
  await query('select posthorn.complete_delivery_jobs(array[$1])', [idOf(parked)])
  await query(
    `update posthorn.deliveries set parked_at = now(), parked_reason = 'concurrency_limit',
       next_attempt_at = null${others} where id = $1`,
    [parked.id],
  )
  await query(
    'insert into posthorn.webhook_schedules (webhook_id, backlog_since) values ($1, now())',
    [parked.webhookId],
  )
}

/** Backfills the index of all deliveries. Moves the cursor by hand, because transactions of other tests delay it. */
async function untilBackfilled(): Promise<void> {
  await until(async () => {
    await query(`update posthorn.cursors set next_id = 'ffffffff-ffff-ffff-ffff-ffffffffffff'
      where name = 'index_backfill' and next_id is not null`)
    await backfillIndex(database.pool)
    return (
      (await database.prisma.delivery.count({ where: { isBackfilled: false, parkedAt: null } })) ===
      0
    )
  }, 'all deliveries are in the index')
}
