import type { Sql } from '../db/client.ts'
import { lowerBoundAt } from '../lib/uuid-v7.ts'
import { firstDeliveryUuidOf } from './recovery-page.ts'
import type { Recovery, SelectionCount } from './selection.ts'

/** Counting stops at this many failed deliveries and this many events, so that a dry run answers within seconds. */
export const MAX_COUNTED = 1_000_000

interface RecoveryWebhook {
  readonly id: string
  readonly organizationId: string
  readonly eventSubscriptions: readonly string[]
}

/** Counts the deliveries that a recovery of the webhook would queue now. */
export async function countRecoverable(
  sql: Sql,
  webhook: RecoveryWebhook,
  recovery: Recovery,
  max = MAX_COUNTED,
): Promise<SelectionCount> {
  const failed = recovery.include !== 'missed' && (await countFailed(sql, webhook, recovery, max))
  const missed = recovery.include !== 'failed' && (await countMissed(sql, webhook, recovery, max))
  const counts = [failed, missed].filter((count) => count !== false)
  return {
    count: counts.reduce((sum, { count }) => sum + count, 0),
    exact: counts.every(({ exact }) => exact),
  }
}

/** The index on (webhook_id, indexed_state, id) serves the count. */
async function countFailed(
  sql: Sql,
  webhook: RecoveryWebhook,
  { since, until }: Recovery,
  max: number,
): Promise<SelectionCount> {
  const { rows } = await sql.query<{ count: number }>(
    `select count(*)::int as count from (
       select from posthorn.deliveries as d
       where d.webhook_id = $1 and d.indexed_state = 'exhausted' and d.id >= $2
         and d.event_id >= $3 and d.event_id < $4 and not d.is_test
       limit $5
     ) as failed`,
    [
      webhook.id,
      firstDeliveryUuidOf(since),
      lowerBoundAt(since),
      lowerBoundAt(until),
      // One row more than the maximum shows whether the count is exact.
      max + 1,
    ],
  )
  const count = rows[0]?.count ?? 0
  return { count: Math.min(count, max), exact: count <= max }
}

/**
 * For up to this many events, deliveries are looked up by event; for more, all deliveries in the time range are read.
 */
const MAX_LOOKUPS = 10_000

/**
 * `except` hashes or sorts its inputs. A join could become a nested loop over all pairs of events and deliveries,
 * before Postgres has statistics of a new day's partitions.
 */
async function countMissed(
  sql: Sql,
  webhook: RecoveryWebhook,
  { since, until }: Recovery,
  max: number,
): Promise<SelectionCount> {
  const { rows } = await sql.query<{ count: number; scanned: number }>(
    `with event as materialized (
       select id from posthorn.events
       where organization_id = $3 and type = any ($4::text[]) and id >= $5 and id < $6 and not is_test
       limit $7
     ),
     size as materialized (select count(*)::int as scanned from event)
     select scanned, (
       case when scanned <= ${MAX_LOOKUPS} then (
         select count(*) from (
           select id from event
           except
           select d.event_id from posthorn.deliveries as d
           where d.event_id = any (array(select id from event)) and d.webhook_id::text = $1 and d.id >= $2
         ) as missed
       ) else (
         select count(*) from (
           select id from event
           except
           select d.event_id from posthorn.deliveries as d
           where d.webhook_id = $1::uuid and d.id >= $2 and d.event_id >= $5 and d.event_id < $6
         ) as missed
       ) end
     )::int as count
     from size`,
    [
      webhook.id,
      firstDeliveryUuidOf(since),
      webhook.organizationId,
      webhook.eventSubscriptions,
      lowerBoundAt(since),
      lowerBoundAt(until),
      max + 1,
    ],
  )
  const { count = 0, scanned = 0 } = rows[0] ?? {}
  return { count, exact: scanned <= max }
}
