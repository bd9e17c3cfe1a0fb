import { beforeEach, expect, test } from 'vitest'
import { readDatabaseState } from '../../src/telemetry/database-metrics.ts'
import { publish } from '../scheduling/support/backlog.ts'
import { createTenant, JOINED, subscribe } from '../support/factories.ts'
import { useFreshDatabase } from '../support/fresh-database.ts'
import { createPartitions } from '../support/maintain-partitions.ts'

const TODAY = `(now() at time zone 'utc')::date`
const DAY_MS = 24 * 60 * 60 * 1_000

const database = useFreshDatabase()
let tenant: Awaited<ReturnType<typeof createTenant>>
beforeEach(async () => {
  tenant = await createTenant(database.prisma)
})

const read = (retentionMs = 30 * DAY_MS) =>
  readDatabaseState(database.pipeline, 'graphile_worker', retentionMs)

const sql = (text: string, values: unknown[] = []) => database.pool.query(text, values)

test('an empty database has nothing queued, and partitions for a week', async () => {
  await createPartitions(database.pool, TODAY, `${TODAY} + 7`)
  const { clock_difference_seconds, state_read_seconds, ...counts } = await read()
  const numbers = Object.values(counts).flatMap((count) =>
    typeof count === 'number' ? count : Object.values(count ?? {}),
  )
  expect(numbers.filter((number) => number !== 0)).toEqual([7])
  expect(counts).toMatchObject({ deliveries: { queued: 0 }, workers: 0, partitions_ahead: 7 })
  // Both run on this machine.
  expect(Math.abs(Number(clock_difference_seconds))).toBeLessThan(5)
  expect(state_read_seconds).toBeGreaterThanOrEqual(0)
})

test('consumers show the oldest event that one has not acknowledged, and what they missed', async () => {
  const { organizationId } = await createTenant(database.prisma)
  await sql(
    `insert into posthorn.event_consumers
       (organization_id, name, read_position, read_index, last_pulled_at, missed_count)
     values ($1, 'behind', 1, 0, now(), 3), ($1, 'healthy', 2, 0, now(), 4), ($1, 'new', 2, 0, null, 0)`,
    [organizationId],
  )
  await sql(
    `insert into posthorn.published_batches (id, organization_id, event_ids, position)
     values (posthorn.uuid_v7_lower_bound(now() - interval '10 minutes'), $1, array[posthorn.uuid_v7()], 2)`,
    [organizationId],
  )
  const state = await read()
  expect(state['consumers_missed_events']).toBe(7)
  expect(state['consumers_oldest_age_seconds']).toBeGreaterThanOrEqual(600)
})

test('deliveries count by state, with the oldest of each, and overdue ones besides', async () => {
  await subscribe(database, tenant.organizationId, [JOINED])
  // Each with its own time, so that jobs and deliveries have the same order.
  for (let i = 0; i < 5; i++) await publish(database.pool, tenant.publicOrganizationId, 1)
  const { rows: jobs } = await sql('select id from graphile_worker.jobs order by id')
  const reschedule = (index: number, at: string, attempts: number) =>
    sql(
      `select from graphile_worker.reschedule_jobs(array[$1::bigint], run_at := now() + $2::interval, attempts := $3)`,
      [jobs[index].id, at, attempts],
    )
  await reschedule(0, '-100 s', 0)
  await reschedule(1, '100 s', 2)
  await reschedule(2, '-20 s', 3)
  // A failed job is kept, and the delivery is exhausted.
  await sql('select from graphile_worker.permanently_fail_jobs(array[$1::bigint])', [jobs[4].id])
  // The fourth one is parked, behind a webhook on hold.
  await sql(`select from graphile_worker.complete_jobs(array[$1::bigint])`, [jobs[3].id])
  await sql(
    `update posthorn.deliveries set parked_at = now(), parked_reason = 'on_hold'
     where id = (select id from posthorn.deliveries order by id offset 3 limit 1)`,
  )
  await sql(
    `insert into posthorn.webhook_schedules (webhook_id, backlog_since, on_hold_since, next_probe_at)
     select id, now(), now() - interval '1 hour', now() from posthorn.webhooks`,
  )
  await sql(`insert into posthorn.workers (id) values ('alive')`)
  await sql(
    `insert into posthorn.workers (id, heartbeat_at) values ('dead', now() - interval '1 minute')`,
  )
  const state = await read()
  expect(state).toMatchObject({
    deliveries: { queued: 1, retrying: 2, waiting: 1 },
    deliveries_overdue: 2,
    deliveries_counts_capped: 0,
    webhooks_on_hold: 1,
    webhooks_with_backlog: 1,
    workers: 1,
  })
  expect(state['deliveries_longest_overdue_seconds']).toBeGreaterThanOrEqual(100)
  expect(state['webhooks_longest_hold_seconds']).toBeGreaterThanOrEqual(3_600)
  const ages = Object.values(state['deliveries_oldest_age_seconds'] ?? {})
  expect(ages.filter((age) => age > 0)).toHaveLength(3)
  // An endpoint that asked to wait does not fail.
  await sql(`update posthorn.webhook_schedules set on_hold_reason = 'retry_after'`)
  expect(await read()).toMatchObject({
    webhooks_on_hold: 0,
    webhooks_longest_hold_seconds: 0,
    webhooks_with_backlog: 1,
  })
  // A hold without deliveries is no backlog.
  await sql(`update posthorn.deliveries set parked_at = null, parked_reason = null`)
  expect(await read()).toMatchObject({ deliveries: { waiting: 0 }, webhooks_with_backlog: 0 })
})

test('deliveries that are not created yet count besides, and partitions past retention', async () => {
  await sql(
    `insert into posthorn.fan_outs (id, organization_id, event_ids, event_types, webhook_counts,
       webhook_offsets, webhook_ids, delivery_count, created_count)
     select posthorn.uuid_v7_lower_bound(now() - i * interval '1 minute'), id, '{}', '{}', '{}', '{}', '{}', 1000, 300
     from posthorn.organizations, generate_series(1, 2) as i limit 2`,
  )
  await createPartitions(database.pool, `now() - interval '5 days'`, `now() - interval '4 days'`)
  const kept = { fan_out_deliveries: 1_400, partitions_past_retention: 0 }
  expect(await read(10 * DAY_MS)).toMatchObject({ ...kept, deliveries: { queued: 0 } })
  // Two days of four tables.
  expect(await read(2 * DAY_MS)).toMatchObject({ partitions_past_retention: 8 })
})
