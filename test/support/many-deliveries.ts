import type pg from 'pg'
import type { Sql } from '../../src/db/client.ts'
import { backfillIndex } from '../../src/deliveries/backfill-index.ts'
import { JOINED, TICKET } from './factories.ts'
import { createPartitions } from './maintain-partitions.ts'
import { until } from './until.ts'

/** The number of days that the deliveries are spread over. */
export const FILLED_DAYS = 30

/**
 * Inserts deliveries of one organization, spread evenly over the last 30 days, each with its event and an attempt. Nearly
 * all succeeded at the first attempt. The few others are among the oldest third, where a scan finds them last.
 */
export async function fillDeliveries(sql: Sql, organizationId: string, count: number) {
  await createPartitions(sql, `current_date - ${FILLED_DAYS + 1}`, 'current_date + 1')
  const { rows } = await sql.query<{ id: string }>(
    `insert into posthorn.webhooks (organization_id, url, enabled, event_subscriptions)
     select $1, 'https://example.com/' || i, true, array[$2, $3] from generate_series(1, 3) as i returning id`,
    [organizationId, JOINED, TICKET],
  )
  const webhooks = rows.map(({ id }) => id)
  // One time for all statements, so that the events have the ids that their deliveries name.
  const filledAt = new Date().toISOString()
  const ids = `
    select i, timestamptz '${filledAt}' - interval '${FILLED_DAYS} days' * ((${count} - i)::float8 / ${count}) - interval '5 minutes' as at
    from generate_series(1, ${count}) as i`
  const uuid = (i: string, kind: number) =>
    `overlay(posthorn.uuid_v7_lower_bound(at)::text placing lpad(to_hex(${i} * 4 + ${kind}), 12, '0') from 25)::uuid`
  await sql.query(
    `insert into posthorn.events (id, organization_id, type, occurred_at, data)
     select ${uuid('i', 0)}, $1, case when i % 10000 = 1 then $3 else $2 end, at, '{"n":' || i || '}'
     from (${ids}) as source`,
    [organizationId, JOINED, TICKET],
  )
  // In the oldest third, a few of every 5,000 deliveries differ from the others, so no recent page shows any.
  await sql.query(
    `insert into posthorn.deliveries (id, organization_id, webhook_id, event_id, event_type, state, attempt_count,
       schedule_position, max_attempts, next_attempt_at, parked_at, parked_reason, finished_at, last_status_class)
     select ${uuid('i', 1)}, $1, ($2::uuid[])[case when i % 5000 = 7 then 2 else 1 end], ${uuid('i', 0)},
       case when i % 10000 = 1 then $4 else $3 end, state::posthorn.delivery_state, tries, tries, 10,
       case when state = 'pending' and kind <> 8 then now() + interval '1 hour' end,
       case when kind = 8 then now() end, case when kind = 8 then 'on_hold' end,
       case when state <> 'pending' then at + interval '1 second' end, class
     from (
       select *, case kind when 1 then 'exhausted' when 2 then 'canceled' when 3 then 'pending' when 4 then 'exhausted'
           when 5 then 'pending' when 6 then 'canceled' when 8 then 'pending' else 'succeeded' end as state,
         case kind when 1 then 5 when 2 then 4 when 3 then 0 when 4 then 3 when 6 then null when 5 then null when 8 then null else 2 end
           as class,
         case when kind in (5, 6, 8) then 0 when kind in (1, 4) then 10 else 1 end as tries
       from (select i, at, case when i < ${count} / 3 then i % 5000 else 0 end as kind from (${ids}) as source) as kinds
     ) as source`,
    [organizationId, webhooks, JOINED, TICKET],
  )
  await sql.query(
    `insert into posthorn.attempts (id, delivery_id, organization_id, webhook_id, number, started_at, succeeded,
       duration_ms, status, error_code, request_url)
     select overlay(d.id::text placing 'a' from 25)::uuid, d.id, d.organization_id, d.webhook_id, 1, now(),
       d.last_status_class = 2, case d.last_status_class when 0 then 15000 when 4 then 1200 else 20 end, nullif(d.last_status_class, 0) * 100,
       case when d.last_status_class = 0 then 'response_timed_out' end, 'https://example.com/'
     from posthorn.deliveries as d where d.organization_id = $1 and d.attempt_count > 0`,
    [organizationId],
  )
  /** The uuids of the organization's webhooks, each subscribed to both types. Nearly all deliveries go to the first. */
  return { webhooks }
}

/**
 * Adds search keys to both types and to the filled events: `$.n`, which differs for each event; `$.customer`, which every
 * 5,000th event has in common; and `$.currency`, which all have.
 */
export async function fillSearchKeys(sql: Sql, organizationId: string): Promise<void> {
  const values = {
    '$.n': 'n::text',
    '$.customer': `'c' || n % 5000`,
    '$.currency': `'EUR'`,
  }
  await sql.query('update posthorn.event_types set search_keys = $1, revision = revision + 1', [
    Object.keys(values),
  ])
  for (const [path, value] of Object.entries(values)) {
    await sql.query(
      `insert into posthorn.event_keys (organization_id, path, value, event_id)
       select organization_id, $2, ${value}, id
       from (select *, (data::json ->> 'n')::int as n from posthorn.events where organization_id = $1) as numbered`,
      [organizationId, path],
    )
  }
}

/** Backfills the state index with all pending deliveries. Transactions of other tests can delay the cursor. */
export async function backfillAll(pool: pg.Pool): Promise<void> {
  await until(
    async () => {
      await backfillIndex(pool)
      const { rows } = await pool.query<{ passed: boolean }>(
        `select reached_id > (select id from posthorn.deliveries order by id desc limit 1) as passed
         from posthorn.cursors where name = 'index_backfill'`,
      )
      return rows[0]?.passed
    },
    'the cursor passes all deliveries',
    60_000,
  )
}
