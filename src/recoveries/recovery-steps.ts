import type { Sql } from '../db/client.ts'
import { MAX_ATTEMPTS, PARKED_REASON } from '../deliveries/new-delivery-sql.ts'
import { lowerBoundAt, timestampOf } from '../lib/uuid-v7.ts'
import { firstDeliveryUuidOf } from './recovery-scope.ts'

/** SQL: the maximum attempts and the parked reason of new deliveries of the webhook $2. */
const WEBHOOK = `
  select ${MAX_ATTEMPTS} as max_attempts, ${PARKED_REASON} as parked_reason
  from posthorn.webhooks as w left join posthorn.webhook_schedules as s on s.webhook_id = w.id
  where w.id = $2`

/** Rows that a page reads at most to find deliveries to queue. */
const MAX_SCANNED = 2_000

/** The scope and cursor of a recovery. Ids are uuids. */
export interface RecoveryPosition {
  readonly id: string
  readonly organizationId: string
  readonly webhookId: string
  readonly eventSubscriptions: readonly string[]
  readonly since: Date
  readonly until: Date
  readonly reachedId: string
}

export interface RecoveredPage {
  /** Deliveries that the page queued or, for a webhook with a backlog, parked. */
  readonly queued: number
  /** The new cursor. Null if there were no rows left to read. */
  readonly reachedId: string | null
  /** Whether this is the last page of the step. */
  readonly last: boolean
}

/**
 * Redelivers the next exhausted deliveries, oldest first, each under its `wh-id` with a full retry schedule. The index
 * of states finds the deliveries, and the time range applies to their events: an earlier recovery can have created a
 * delivery long after its event, so the id of this recovery is the only upper bound for delivery ids.
 */
export async function redeliverFailedDeliveries(
  sql: Sql,
  { id, webhookId, since, until, reachedId }: RecoveryPosition,
  size: number,
): Promise<RecoveredPage> {
  const { rows } = await sql.query<RecoveredPage>(REDELIVER_FAILED, [
    id,
    webhookId,
    reachedId,
    lowerBoundAt(since),
    lowerBoundAt(until),
    size,
  ])
  return rows[0] as RecoveredPage
}

const REDELIVER_FAILED = `
  with webhook as materialized (${WEBHOOK}),
  scanned as (
    select id, event_id, is_test from posthorn.deliveries
    where webhook_id = $2 and indexed_state = 'exhausted'
      and id > $3 and id < $1
    order by id limit ${MAX_SCANNED}
  ),
  subject as (
    select scanned.id from scanned
    where not scanned.is_test
      and scanned.event_id >= $4::uuid and scanned.event_id < $5::uuid
      and exists (select from posthorn.events as e where e.id = scanned.event_id)
    order by scanned.id limit $6::int
  ),
  reopened as (
    update posthorn.deliveries as d set
      state = 'pending', finished_at = null, is_backfilled = true, schedule_position = 0, job_written_at = now(),
      max_attempts = d.attempt_count + webhook.max_attempts, parked_reason = webhook.parked_reason,
      parked_at = case when webhook.parked_reason is not null then now() end,
      next_attempt_at = case when webhook.parked_reason is null then now() end
    from subject, webhook where d.id = subject.id and d.state = 'exhausted'
    returning d.*
  ),
  jobs as (
    -- The failed jobs of exhausted deliveries still exist.
    select posthorn.complete_delivery_jobs(array(select posthorn.type_id('msg', id) from reopened)),
      posthorn.schedule_deliveries(array_agg(row(id, webhook_id, organization_id, event_type, now(),
        attempt_count, max_attempts, last_error)::posthorn.delivery_job order by id))
    from reopened where parked_at is null
  ),
  items as (
    insert into posthorn.recovery_items (recovery_id, delivery_id) select $1, id from reopened
  ),
  counted as (
    select (select count(*) from reopened)::int as queued, (select count(*) from subject) = $6 as full,
      (select count(*) from scanned) = ${MAX_SCANNED} as more
  )
  select queued,
    (select id from (table subject union all select id from scanned where not counted.full) as seen
      order by id desc limit 1) as "reachedId",
    not counted.full and not counted.more as last
  from counted left join jobs on true`

/**
 * Creates deliveries for the next events that the webhook subscribes to and has no delivery of, in the order of the
 * events. Each subscribed event type is one range of the index on (organization, type, id).
 */
export async function createMissedDeliveries(
  sql: Sql,
  position: RecoveryPosition,
  size: number,
): Promise<RecoveredPage> {
  const { id, organizationId, webhookId, eventSubscriptions, since, until, reachedId } = position
  const from = lowerBoundAt(since)
  const firstDelivery = firstDeliveryUuidOf(timestampOf(reachedId > from ? reachedId : from))
  const { rows } = await sql.query<RecoveredPage>(CREATE_MISSED, [
    id,
    webhookId,
    reachedId,
    from,
    lowerBoundAt(until),
    size,
    organizationId,
    eventSubscriptions,
    firstDelivery,
  ])
  return rows[0] as RecoveredPage
}

const CREATE_MISSED = `
  with webhook as materialized (${WEBHOOK}),
  scanned as (
    select event.id, event.type
    from unnest($8::text[]) as subscribed (type), lateral (
      -- The row comparisons and the order match the index of each partition. With a condition on the id alone, Postgres
      -- can choose the index without the type, and scan all events for a rare type.
      select e.id, e.type from posthorn.events as e
      where e.organization_id = $7 and not e.is_test
        and (e.type, e.id) > (subscribed.type, $3::uuid)
        and (e.type, e.id) >= (subscribed.type, $4::uuid)
        and (e.type, e.id) < (subscribed.type, $5::uuid)
      order by e.type, e.id limit ${MAX_SCANNED}
    ) as event
    order by event.id limit ${MAX_SCANNED}
  ),
  received as materialized (
    -- The cast to text keeps Postgres from scanning all deliveries of the webhook by its index.
    select d.event_id from posthorn.deliveries as d
    where d.event_id = any (array(select id from scanned)) and d.webhook_id::text = $2::uuid::text
      and d.id >= $9
  ),
  subject as (
    select id, type, row_number() over (order by id) as n from scanned
    where not exists (select from received where received.event_id = scanned.id)
    order by id limit $6::int
  ),
  minted as (
    select id, row_number() over (order by id) as n from (select posthorn.uuid_v7() as id from subject) as new_id
  ),
  missed as (
    insert into posthorn.deliveries (id, organization_id, webhook_id, event_id, event_type, max_attempts,
      next_attempt_at, parked_at, parked_reason)
    select minted.id, $7::uuid, $2, subject.id, subject.type, webhook.max_attempts,
      case when webhook.parked_reason is null then now() end,
      case when webhook.parked_reason is not null then now() end, webhook.parked_reason
    from subject join minted on minted.n = subject.n, webhook order by minted.n
    returning *
  ),
  jobs as (
    select posthorn.schedule_deliveries(array_agg(row(id, webhook_id, organization_id, event_type, now(), 0,
      max_attempts, null)::posthorn.delivery_job order by id))
    from missed where parked_at is null having count(*) > 0
  ),
  items as (
    insert into posthorn.recovery_items (recovery_id, delivery_id) select $1::uuid, id from missed
  ),
  counted as (
    select (select count(*) from missed)::int as queued, (select count(*) from subject) = $6 as full,
      (select count(*) from scanned) = ${MAX_SCANNED} as more
  )
  select queued,
    (select id from (
      select id from subject union all select id from scanned where not counted.full
    ) as seen order by id desc limit 1) as "reachedId",
    not counted.full and not counted.more as last
  from counted left join jobs on true`
