import type { Sql } from '../db/client.ts'
import { MAX_ATTEMPTS, PARKED_REASON } from '../deliveries/new-delivery-sql.ts'
import { lowerBoundAt, timestampOf } from '../lib/uuid-v7.ts'
import { SUBSCRIBED_TYPES } from '../webhooks/subscribed-types-sql.ts'
import { endOf, type LockedTask, type PageResult } from './page.ts'
import type { Recovery } from './selection.ts'

/** Rows that a page reads at most to find deliveries to queue. */
const MAX_SCANNED = 2_000

/** How often a recovery checks whether its disabled webhook was enabled again. */
const DISABLED_POLL_MS = 5_000

/** How often a recovery checks the transactions that were publishing when it started. */
const SETTLE_POLL_MS = 200

/** Queues the next deliveries that a webhook missed. */
export async function recoverPage(
  sql: Sql,
  task: LockedTask<Recovery>,
  size: number,
): Promise<PageResult> {
  const { id, selection } = task
  const webhook = await lockWebhook(sql, id, selection.until)
  if (!webhook || webhook.deleted) {
    return { state: 'failed', failure: 'The webhook was deleted.' }
  }
  if (!webhook.enabled) return { waitMs: DISABLED_POLL_MS }
  if (!task.isSettled || webhook.fansOut) return { waitMs: SETTLE_POLL_MS }
  return await createMissed(sql, webhook, task, size)
}

interface LockedWebhook {
  readonly id: string
  readonly organizationId: string
  readonly eventTypes: readonly string[]
  readonly enabled: boolean
  readonly deleted: boolean
  /** Whether deliveries of an event published before the end of the recovery are still being created. */
  readonly fansOut: boolean
}

/** Locks the webhook against disabling and deletion. */
async function lockWebhook(sql: Sql, taskId: string, until: Date) {
  const { rows } = await sql.query<LockedWebhook>(
    `select w.id, w.organization_id as "organizationId", ${SUBSCRIBED_TYPES} as "eventTypes", w.enabled,
       w.deleted_at is not null as deleted,
       exists (
         select from posthorn.fan_outs as f where f.organization_id = t.organization_id and f.event_ids[1] < $2) as "fansOut"
     from posthorn.bulk_tasks as t join posthorn.webhooks as w on w.id = t.webhook_id
     where t.id = $1 for share of w`,
    [taskId, lowerBoundAt(until)],
  )
  return rows[0]
}

/**
 * A lower bound for the delivery ids of an event: its deliveries are created after the event, by its transaction or by
 * a later recovery. The minute allows for a clock that is set back in between.
 */
export function firstDeliveryUuidOf(eventTime: Date): string {
  return lowerBoundAt(new Date(eventTime.getTime() - MINUTE_MS))
}

const MINUTE_MS = 60_000

/**
 * Creates deliveries for the next events that the webhook subscribes to, that its filter does not refuse, and that it has no delivery of, in the order of the
 * events. Each subscribed event type is one range of the index on (organization, type, id).
 */
async function createMissed(
  sql: Sql,
  webhook: LockedWebhook,
  { selection, reachedId: reached }: LockedTask<Recovery>,
  size: number,
): Promise<PageResult> {
  const from = lowerBoundAt(selection.since)
  const { rows } = await sql.query<CreatedPage>(CREATE_MISSED, [
    ...[webhook.id, reached, from, lowerBoundAt(selection.until), size],
    ...[webhook.organizationId, webhook.eventTypes],
    firstDeliveryUuidOf(timestampOf(reached > from ? reached : from)),
    selection.ignoreFilter,
  ])
  const [page] = rows
  if (!page) throw new Error('A page of a recovery has no row.')
  const { changed, reachedId, last } = page
  return { changed, reachedId, ...endOf(changed, last) }
}

interface CreatedPage {
  readonly changed: number
  readonly reachedId: string | null
  /** Whether there were no further rows to read. */
  readonly last: boolean
}

/** SQL: the size of the event `e`. Postgres knows it without reading the data. */
export const EVENT_BYTES = '(octet_length(e.data) + coalesce(octet_length(e.previous), 0))::bigint'

/**
 * SQL: the steps that the filter of `webhook` takes for the events before each of `scanned`, at most: a value has two bytes
 * or more.
 */
export const STEPS_BEFORE = `
  coalesce(sum(webhook.filter_steps + webhook.filter_scans * scanned.bytes)
    over (order by scanned.id rows between unbounded preceding and 1 preceding), 0) as steps_before`

/** A page takes a second or two at most. */
const MAX_FILTER_STEPS = 4_000_000

const CREATE_MISSED = `
  with webhook as materialized (
    select w.ordered, w.body_id, ${MAX_ATTEMPTS} as max_attempts, ${PARKED_REASON} as parked_reason,
      case when $9::boolean then null else w.filter_query end as filter_query, w.filter_times, w.filter_steps,
      w.filter_scans
    from posthorn.webhooks as w left join posthorn.webhook_schedules as s on s.webhook_id = w.id
    where w.id = $1
  ),
  scanned as (
    select event.*
    from unnest($7::text[]) as subscribed (type), lateral (
      -- The row comparisons and the order match the index of each partition. With a condition on the id alone, Postgres
      -- can choose the index without the type, and scan all events for a rare type.
      select e.id, e.type, ${EVENT_BYTES} as bytes from posthorn.events as e
      where e.organization_id = $6 and not e.is_test and e.erased_at is null
        and (e.type, e.id) > (subscribed.type, $2::uuid)
        and (e.type, e.id) >= (subscribed.type, $3::uuid)
        and (e.type, e.id) < (subscribed.type, $4::uuid)
      order by e.type, e.id limit ${MAX_SCANNED}
    ) as event
    order by event.id limit ${MAX_SCANNED}
  ),
  received as materialized (
    -- The cast to text keeps Postgres from scanning all deliveries of the webhook by its index.
    select d.event_id from posthorn.deliveries as d
    where d.event_id = any (array(select id from scanned)) and d.webhook_id::text = $1::uuid::text
      and d.id >= $8
  ),
  filterable as materialized (
    select scanned.id, scanned.type, ${STEPS_BEFORE}
    from scanned, webhook
    where not exists (select from received where received.event_id = scanned.id)
  ),
  -- The page ends where it has taken too many steps.
  subject as (
    select id, type, row_number() over (order by id) as n from filterable
    where steps_before <= ${MAX_FILTER_STEPS} and ((select filter_query from webhook) is null or (
      select posthorn.lets_through(e.data, e.previous, webhook.filter_query, webhook.filter_times, webhook.filter_steps,
        webhook.filter_scans)
      from posthorn.events as e, webhook where e.id = filterable.id))
    order by id limit $5::int
  ),
  minted as (
    select id, row_number() over (order by id) as n from (select posthorn.uuid_v7() as id from subject) as new_id
  ),
  missed as (
    insert into posthorn.deliveries (id, organization_id, webhook_id, event_id, event_type, max_attempts,
      next_attempt_at, parked_at, parked_reason, body_id)
    select minted.id, $6::uuid, $1, subject.id, subject.type, webhook.max_attempts,
      case when webhook.parked_reason is null then now() end,
      case when webhook.parked_reason is not null then now() end, webhook.parked_reason, webhook.body_id
    from subject join minted on minted.n = subject.n, webhook order by minted.n
    returning *
  ),
  jobs as (
    select posthorn.schedule_deliveries(array_agg(row(id, webhook_id, organization_id, event_type, now(), 0,
      max_attempts, null)::posthorn.delivery_job order by id))
    from missed where parked_at is null having count(*) > 0
  ),
  released as (
    -- An ordered webhook may have no open backlog yet.
    select count(posthorn.enqueue('release_backlog', json_build_object('webhookId', posthorn.type_id('wh', $1::uuid))))
    from webhook where ordered and exists (select from missed)
  ),
  counted as (
    select (select count(*) from missed)::int as changed, (select count(*) from subject) = $5 as full,
      (select count(*) from scanned) = ${MAX_SCANNED} as more,
      (select id from filterable where steps_before > ${MAX_FILTER_STEPS} order by id limit 1) as first_left
  )
  select changed,
    (select id from (
      select id from subject union all
      select id from scanned where not counted.full and (first_left is null or id < first_left)
    ) as seen order by id desc limit 1) as "reachedId",
    not counted.full and not counted.more and first_left is null as last
  from counted left join jobs on true left join released on true`
