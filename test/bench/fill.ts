import type { Sql } from '../../src/db/client.ts'
import { createPartitions } from '../support/maintain-partitions.ts'
import type { BenchTenant } from './tenant.ts'

/** The data of every event of the benchmark. */
export const DATA = { attendee: 'Ada Lovelace', ticket: 'x'.repeat(300) }

/** The number of events published by one statement. */
const QUEUE_BATCH = 2_000

/** Publishes `count` events, alternating between the types, each of which creates one delivery. */
export async function queueDeliveries(
  sql: Sql,
  { publicOrganizationId }: BenchTenant,
  types: readonly string[],
  count: number,
): Promise<void> {
  await inBatches(count, QUEUE_BATCH, async (from, to) => {
    await sql.query(
      `select count(*) from posthorn.publish_events($1, (
         select json_agg(json_build_object('type', ($2::text[])[1 + i % cardinality($2)], 'data', $3::json))
         from generate_series($4::int, $5) as i))`,
      [publicOrganizationId, types, JSON.stringify(DATA), from, to],
    )
  })
}

/** Puts all webhooks of the tenant on hold for hours, then publishes `count` events, whose deliveries are parked. */
export async function parkDeliveries(
  sql: Sql,
  tenant: BenchTenant,
  types: readonly string[],
  count: number,
): Promise<void> {
  await sql.query(
    `insert into posthorn.webhook_schedules (webhook_id, backlog_since, on_hold_since, next_probe_at)
     select id, now(), now(), now() + interval '9 hours' from posthorn.webhooks where organization_id = $1
     on conflict (webhook_id) do update set backlog_since = now(), on_hold_since = now(),
       next_probe_at = excluded.next_probe_at`,
    [tenant.organizationId],
  )
  await queueDeliveries(sql, tenant, types, count)
}

const RETRY_BATCH = 20_000

/**
 * Creates deliveries that failed once in the last six hours and are retried in one to ten hours, each with its event,
 * attempt and job, as they accumulate while receivers are down.
 */
export async function fillRetries(
  sql: Sql,
  { organizationId }: BenchTenant,
  types: readonly string[],
  count: number,
): Promise<void> {
  await createPartitions(sql, 'current_date - 1', 'current_date + 1')
  await inBatches(count, RETRY_BATCH, async (from, to) => {
    await sql.query(FILL_RETRIES, [organizationId, types, JSON.stringify(DATA), from, to, count])
  })
}

const FINISHED_BATCH = 50_000
const SPAN = '28 days'

/** Creates deliveries that succeeded in the last four weeks, each with its event and attempt. */
export async function fillFinished(
  sql: Sql,
  { organizationId }: BenchTenant,
  types: readonly string[],
  count: number,
): Promise<void> {
  await createPartitions(sql, `current_date - interval '${SPAN}'`, 'current_date + 1')
  await inBatches(count, FINISHED_BATCH, async (from, to) => {
    const values = [organizationId, types, JSON.stringify(DATA), from, to, count]
    await sql.query(FILL_FINISHED, values)
  })
}

/** An id with the time of the row in the first digits, and its number and kind in the last. */
const uuid = (kind: number) =>
  `overlay(posthorn.uuid_v7_lower_bound(filled.at)::text placing lpad(to_hex(filled.i * 4 + ${kind}), 12, '0') from 25)::uuid`

const FILL_RETRIES = `
  with filled as materialized (
    select i, now() - interval '6 hours' * (($6::int - i)::float8 / $6) - interval '5 minutes' as at,
      now() + interval '1 hour' + interval '9 hours' * random() as next_attempt_at,
      ($2::text[])[1 + i % cardinality($2)] as type
    from generate_series($4::int, $5::int) as i
  ),
  events as (
    insert into posthorn.events (id, organization_id, type, occurred_at, data)
    select ${uuid(0)}, $1::uuid, type, at, $3::text
    from filled
  ),
  deliveries as (
    insert into posthorn.deliveries (id, organization_id, webhook_id, event_id, event_type, attempt_count,
      schedule_position, max_attempts, next_attempt_at, last_status_class, last_error)
    select ${uuid(1)}, $1::uuid, w.id, ${uuid(0)}, filled.type, 1, 1, 10, filled.next_attempt_at, 5,
      'HTTP 500 from https://127.0.0.1'
    from filled join posthorn.webhooks as w
      on w.organization_id = $1::uuid and filled.type = any (w.event_subscriptions)
    returning *
  ),
  attempts as (
    insert into posthorn.attempts (id, delivery_id, organization_id, webhook_id, number, started_at, succeeded,
      duration_ms, first_byte_ms, status, request_url)
    select overlay(id::text placing 'a' from 25)::uuid, id, $1::uuid, webhook_id, 1, now(), false, 20, 20, 500,
      'https://127.0.0.1/'
    from deliveries
  )
  select posthorn.schedule_deliveries(array_agg(row(id, webhook_id, organization_id, event_type, next_attempt_at,
    attempt_count, max_attempts, last_error)::posthorn.delivery_job))
  from deliveries`

const FILL_FINISHED = `
  with filled as materialized (
    select i, type, w.id as webhook_id,
      now() - interval '${SPAN}' * (($6::int - i + 1)::float8 / $6) as at
    from (select i, ($2::text[])[1 + i % cardinality($2)] as type from generate_series($4::int, $5::int) as i) as numbered
      join posthorn.webhooks as w on w.organization_id = $1::uuid and w.event_subscriptions = array[type]
  ),
  events as (
    insert into posthorn.events (id, organization_id, type, occurred_at, data)
    select ${uuid(0)}, $1::uuid, type, at, $3::text
    from filled
  ),
  deliveries as (
    insert into posthorn.deliveries (id, organization_id, webhook_id, event_id, event_type, state, attempt_count,
      schedule_position, max_attempts, finished_at, last_status_class)
    select ${uuid(1)}, $1::uuid, webhook_id, ${uuid(0)}, type, 'succeeded', 1, 1, 10, at + interval '1 second', 2
    from filled
  )
  insert into posthorn.attempts (id, delivery_id, organization_id, webhook_id, number, started_at, succeeded, duration_ms,
    first_byte_ms, status, request_url)
  select ${uuid(2)}, ${uuid(1)}, $1::uuid, webhook_id, 1, at + interval '1 second', true, 20, 20, 200,
    'https://127.0.0.1/'
  from filled`

/**
 * Runs two batches in parallel, so that Postgres uses two CPUs. The first runs alone: in a new database it adds the name of
 * the task, for which the other one would wait until it commits.
 */
async function inBatches(
  count: number,
  size: number,
  fill: (from: number, to: number) => Promise<void>,
): Promise<void> {
  await fill(1, Math.min(size, count))
  let next = size + 1
  async function lane() {
    while (next <= count) {
      const from = next
      next += size
      await fill(from, Math.min(from + size - 1, count))
    }
  }
  await Promise.all([lane(), lane()])
}
