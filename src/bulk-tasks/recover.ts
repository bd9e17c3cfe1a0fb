import type { Sql } from '../db/client.ts'
import { MAX_ATTEMPTS, PARKED_REASON } from '../deliveries/new-delivery-sql.ts'
import { lowerBoundAt, timestampOf } from '../lib/uuid-v7.ts'
import { FIRST_ID, type PageResult, type Work } from '../queue/long-work.ts'
import { MAX_COUNTED, type SelectionCount } from './selected-deliveries.ts'

/** What a webhook missed of the events that were published from `since` on and before `until`. */
export interface Recovery {
  readonly since: Date
  readonly until: Date
  /** Whether missed events that today's filter of the webhook refuses are delivered too. */
  readonly ignoreFilter: boolean
}

/** How often a recovery checks whether its disabled webhook was enabled again. */
const DISABLED_POLL_MS = 5_000

/** How often a recovery checks the transactions that were publishing when it started. */
const SETTLE_POLL_MS = 200

/** Queues the next deliveries that a webhook missed. */
export async function recoverStep(sql: Sql, work: Work<Recovery>): Promise<PageResult> {
  const { id, selection, reachedId, size } = work
  const webhook = await lockWebhook(sql, id, selection.until)
  if (!webhook || webhook.isDeleted) return { failure: 'The webhook was deleted.' }
  if (!webhook.enabled) return { waitMs: DISABLED_POLL_MS }
  if (!work.isSettled || webhook.fansOut) return { waitMs: SETTLE_POLL_MS }
  const { count, ...page } = await readMissed(
    sql,
    CREATE_MISSED,
    webhook,
    selection,
    reachedId,
    size,
  )
  return { changed: count, ...page }
}

/** Counting stops after this many pages of which the filter of the webhook took too many steps. */
const MAX_COSTLY_PAGES = 5

/** Counts the deliveries that a recovery of the webhook would create now. */
export async function countMissed(
  sql: Sql,
  webhook: RecoveredWebhook,
  recovery: Recovery,
): Promise<SelectionCount> {
  let [count, costly, reachedId] = [0, 0, FIRST_ID]
  for (;;) {
    const size = MAX_COUNTED + 1 - count
    const page = await readMissed(sql, COUNT_MISSED, webhook, recovery, reachedId, size)
    count += page.count
    reachedId = page.reachedId ?? reachedId
    costly += Number(page.isCostly)
    if (page.isLast && count <= MAX_COUNTED) return { count, exact: true }
    if (count > MAX_COUNTED || costly === MAX_COSTLY_PAGES) {
      return { count: Math.min(count, MAX_COUNTED), exact: false }
    }
  }
}

interface RecoveredWebhook {
  readonly id: string
  readonly organizationId: string
}

interface LockedWebhook extends RecoveredWebhook {
  readonly enabled: boolean
  readonly isDeleted: boolean
  /** Whether deliveries of an event published before the end of the recovery are still being created. */
  readonly fansOut: boolean
}

/** Locks the webhook against disabling and deletion. */
async function lockWebhook(sql: Sql, taskId: string, until: Date) {
  const { rows } = await sql.query<LockedWebhook>(
    `select w.id, w.organization_id as "organizationId", w.enabled, w.deleted_at is not null as "isDeleted",
       exists (
         select from posthorn.fan_outs as f where f.organization_id = t.organization_id and f.event_ids[1] < $2) as "fansOut"
     from posthorn.bulk_tasks as t join posthorn.webhooks as w on w.id = t.webhook_id
     where t.id = $1 for share of w`,
    [taskId, lowerBoundAt(until)],
  )
  return rows[0]
}

interface MissedPage {
  readonly count: number
  readonly reachedId: string | null
  /** Whether there were no further rows to read. */
  readonly isLast: boolean
  /** Whether the page ended because of the steps of the filter. */
  readonly isCostly: boolean
}

async function readMissed(
  sql: Sql,
  text: string,
  webhook: RecoveredWebhook,
  { since, until, ignoreFilter }: Recovery,
  reachedId: string,
  size: number,
): Promise<MissedPage> {
  const from = lowerBoundAt(since)
  const { rows } = await sql.query<MissedPage>(text, [
    ...[webhook.id, reachedId, from, lowerBoundAt(until), size, webhook.organizationId],
    ...[firstDeliveryUuidOf(timestampOf(reachedId > from ? reachedId : from)), ignoreFilter],
  ])
  const [page] = rows
  if (!page) throw new Error('A page of a recovery has no row.')
  return page
}

/**
 * A lower bound for the delivery ids of an event: its deliveries are created after the event, by its transaction or by
 * a later recovery. The minute allows for a clock that is set back in between.
 */
function firstDeliveryUuidOf(eventTime: Date): string {
  return lowerBoundAt(new Date(eventTime.getTime() - MINUTE_MS))
}

const MINUTE_MS = 60_000

/** Rows that a page reads at most to find deliveries. */
const MAX_SCANNED = 2_000

/** A page takes a second or two at most. */
const MAX_FILTER_STEPS = 4_000_000

/** SQL: the event types that the webhook `w` subscribes to, archived ones included. */
const SUBSCRIBED_TYPES = `
  array(
    select t.name from posthorn.event_types as t where w.event_subscriptions && posthorn.subscriptions_to(t.name)
    order by t.name collate "C")`

/**
 * SQL: the next events that the webhook subscribes to, that its filter does not refuse, and that it has no delivery of, in
 * the order of the events. Each subscribed event type is one range of the index on (organization, type, id).
 */
const MISSED = `
  webhook as materialized (
    select w.ordered, w.body_id, ${MAX_ATTEMPTS} as max_attempts, ${PARKED_REASON} as parked_reason,
      case when $8::boolean then null else w.filter_query end as filter_query, w.filter_times, w.filter_steps,
      w.filter_scans, ${SUBSCRIBED_TYPES} as types
    from posthorn.webhooks as w left join posthorn.webhook_schedules as s on s.webhook_id = w.id
    where w.id = $1
  ),
  scanned as materialized (
    select event.*
    from webhook, unnest(webhook.types) as subscribed (type), lateral (
      -- The row comparisons and the order match the index of each partition. With a condition on the id alone, Postgres
      -- can choose the index without the type, and scan all events for a rare type. It knows the size without reading the data.
      select e.id, e.type, (octet_length(e.data) + coalesce(octet_length(e.previous), 0))::bigint as bytes
      from posthorn.events as e
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
    where d.event_id = any (array(select id from scanned)) and d.webhook_id::text = $1::uuid::text and d.id >= $7
  ),
  -- The steps that the filter takes for the events before each one, at most: a value has two bytes or more.
  filterable as materialized (
    select scanned.id, scanned.type, coalesce(sum(webhook.filter_steps + webhook.filter_scans * scanned.bytes)
      over (order by scanned.id rows between unbounded preceding and 1 preceding), 0) as steps_before
    from scanned, webhook
    where not exists (select from received where received.event_id = scanned.id)
  ),
  -- The page ends where it has taken too many steps.
  subject as materialized (
    select id, type, row_number() over (order by id) as n from filterable
    where steps_before <= ${MAX_FILTER_STEPS} and ((select filter_query from webhook) is null or (
      select posthorn.lets_through(e.data, e.previous, webhook.filter_query, webhook.filter_times, webhook.filter_steps,
        webhook.filter_scans)
      from posthorn.events as e, webhook where e.id = filterable.id))
    order by id limit $5::int
  ),
  page as (
    select (select count(*) from subject) = $5 as is_full, (select count(*) from scanned) = ${MAX_SCANNED} as has_more,
      (select id from filterable where steps_before > ${MAX_FILTER_STEPS} order by id limit 1) as first_left
  )`

const PAGE_COLUMNS = `
  (select id from (
    select id from subject union all
    select id from scanned where not page.is_full and (first_left is null or id < first_left)
  ) as seen order by id desc limit 1) as "reachedId",
  not page.is_full and not page.has_more and first_left is null as "isLast", first_left is not null as "isCostly"`

const COUNT_MISSED = `
  with ${MISSED}
  select (select count(*)::int from subject) as count, ${PAGE_COLUMNS} from page`

const CREATE_MISSED = `
  with ${MISSED},
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
  )
  select (select count(*)::int from missed) as count, ${PAGE_COLUMNS}
  from page left join jobs on true left join released on true`
