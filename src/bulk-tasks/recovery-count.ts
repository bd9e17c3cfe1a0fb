import type { Sql } from '../db/client.ts'
import { lowerBoundAt } from '../lib/uuid-v7.ts'
import { SUBSCRIBED_TYPES } from '../webhooks/subscribed-types-sql.ts'
import { EVENT_BYTES, firstDeliveryUuidOf, STEPS_BEFORE } from './recovery-page.ts'
import type { Recovery, SelectionCount } from './selection.ts'

/** Counting stops at this many events, so that a dry run answers within seconds. */
export const MAX_COUNTED = 1_000_000

interface RecoveryWebhook {
  readonly id: string
  readonly organizationId: string
}

/** Counting stops earlier if each event must be read for a filter: at so many events, or steps of the filter. */
const MAX_FILTERED = 100_000
const MAX_FILTER_STEPS = 20_000_000

/**
 * For up to this many events, deliveries are looked up by event; for more, all deliveries in the time range are read.
 */
const MAX_LOOKUPS = 10_000

/**
 * Counts the deliveries that a recovery of the webhook would create now.
 *
 * `except` hashes or sorts its inputs. A join could become a nested loop over all pairs of events and deliveries,
 * before Postgres has statistics of a new day's partitions.
 */
export async function countMissed(
  sql: Sql,
  webhook: RecoveryWebhook,
  { since, until, ignoreFilter }: Recovery,
  max = MAX_COUNTED,
): Promise<SelectionCount> {
  const { rows } = await sql.query<{
    count: number
    scanned: number
    limit: number
    whole: boolean
  }>(
    `with webhook as materialized (
       select case when $7::boolean then null else w.filter_query end as filter_query, w.filter_times, w.filter_steps,
         w.filter_scans,
         case when $7::boolean or w.filter_query is null then $6::int else least($6::int, ${MAX_FILTERED}) end as max,
         ${SUBSCRIBED_TYPES} as types
       from posthorn.webhooks as w where w.id = $1::uuid
     ),
     scanned as materialized (
       select e.id, ${EVENT_BYTES} as bytes from posthorn.events as e
       where e.organization_id = $3 and e.type = any ((select types from webhook)::text[]) and e.id >= $4 and e.id < $5 and not e.is_test
         and e.erased_at is null
       limit (select max + 1 from webhook)
     ),
     filterable as materialized (
       select scanned.id, ${STEPS_BEFORE} from scanned, webhook
     ),
     event as materialized (
       select id from filterable
       where steps_before <= ${MAX_FILTER_STEPS} and ((select filter_query from webhook) is null or (
         select posthorn.lets_through(e.data, e.previous, webhook.filter_query, webhook.filter_times, webhook.filter_steps,
           webhook.filter_scans)
         from posthorn.events as e, webhook where e.id = filterable.id))
     ),
     size as materialized (
       select count(*)::int as scanned, coalesce(max(steps_before), 0) <= ${MAX_FILTER_STEPS} as whole from filterable
     )
     select scanned, (select max from webhook) as limit, whole, (
       case when scanned <= ${MAX_LOOKUPS} then (
         select count(*) from (
           select id from event
           except
           select d.event_id from posthorn.deliveries as d
           where d.event_id = any (array(select id from event)) and d.webhook_id::text = $1::uuid::text and d.id >= $2
         ) as missed
       ) else (
         select count(*) from (
           select id from event
           except
           select d.event_id from posthorn.deliveries as d
           where d.webhook_id = $1::uuid and d.id >= $2 and d.event_id >= $4 and d.event_id < $5
         ) as missed
       ) end
     )::int as count
     from size`,
    [
      webhook.id,
      firstDeliveryUuidOf(since),
      webhook.organizationId,
      lowerBoundAt(since),
      lowerBoundAt(until),
      max,
      ignoreFilter,
    ],
  )
  const { count = 0, scanned = 0, limit = max, whole = true } = rows[0] ?? {}
  return { count, exact: whole && scanned <= limit }
}
