import type { Sql } from '../db/client.ts'
import { lowerBoundAt } from '../lib/uuid-v7.ts'
import { SUBSCRIBED_TYPES } from '../webhooks/subscribed-types-sql.ts'
import { EVENT_BYTES, firstDeliveryUuidOf, STEPS_BEFORE } from './recovery-page.ts'
import { MAX_COUNTED } from './selected-deliveries.ts'
import type { Recovery, SelectionCount } from './selection.ts'

interface RecoveryWebhook {
  readonly id: string
  readonly organizationId: string
}

/** Counting stops earlier at this many steps of the filter of the webhook. */
const MAX_FILTER_STEPS = 20_000_000

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
  const { rows } = await sql.query<{ count: number; scanned: number; whole: boolean }>(
    `with webhook as materialized (
       select case when $7::boolean then null else w.filter_query end as filter_query, w.filter_times, w.filter_steps,
         w.filter_scans, ${SUBSCRIBED_TYPES} as types
       from posthorn.webhooks as w where w.id = $1::uuid
     ),
     scanned as materialized (
       select e.id, ${EVENT_BYTES} as bytes from posthorn.events as e
       where e.organization_id = $3 and e.type = any ((select types from webhook)::text[]) and e.id >= $4 and e.id < $5 and not e.is_test
         and e.erased_at is null
       limit $6::int + 1
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
     select scanned, whole, (
       select count(*) from (
         select id from event
         except
         select d.event_id from posthorn.deliveries as d
         where d.event_id = any (array(select id from event)) and d.webhook_id::text = $1::uuid::text and d.id >= $2
       ) as missed
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
  const { count = 0, scanned = 0, whole = true } = rows[0] ?? {}
  return { count: Math.min(count, max), exact: whole && scanned <= max }
}
