import type { Sql } from '../db/client.ts'
import { lowerBoundAt } from '../lib/uuid-v7.ts'
import { firstDeliveryUuidOf, type RecoveryScope } from './recovery-scope.ts'

/** Of each kind, no more are looked at: counting should not take longer than a person waits. */
export const MAX_COUNTED = 1_000_000

export interface RecoverableCount {
  readonly count: number
  /** False where there are more than were looked at. */
  readonly exact: boolean
}

interface Subject {
  readonly id: string
  readonly organizationId: string
  readonly eventSubscriptions: readonly string[]
}

/** How many deliveries a recovery of the webhook would make due now. */
export async function countRecoverable(
  sql: Sql,
  webhook: Subject,
  scope: RecoveryScope,
  atMost = MAX_COUNTED,
): Promise<RecoverableCount> {
  const failed = scope.include !== 'missed' && (await countFailed(sql, webhook, scope, atMost))
  const missed = scope.include !== 'failed' && (await countMissed(sql, webhook, scope, atMost))
  const counts = [failed, missed].filter((count) => count !== false)
  return {
    count: counts.reduce((sum, { count }) => sum + count, 0),
    exact: counts.every(({ exact }) => exact),
  }
}

async function countFailed(
  sql: Sql,
  webhook: Subject,
  { since, until }: RecoveryScope,
  atMost: number,
): Promise<RecoverableCount> {
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
      // One more than is answered shows whether there are more.
      atMost + 1,
    ],
  )
  const count = rows[0]?.count ?? 0
  return { count: Math.min(count, atMost), exact: count <= atMost }
}

/** Up to so many events, the deliveries of each are looked up; of more, all deliveries of the webhook since then are read. */
const LOOK_UP_AT_MOST = 10_000

/** The plans are the ones meant, also before Postgres has statistics of a new day: none compares each with each. */
async function countMissed(
  sql: Sql,
  webhook: Subject,
  { since, until }: RecoveryScope,
  atMost: number,
): Promise<RecoverableCount> {
  const { rows } = await sql.query<{ count: number; looked: number }>(
    `with looked as materialized (
       select id from posthorn.events
       where organization_id = $3 and type = any ($4::text[]) and id >= $5 and id < $6 and not is_test
       limit $7
     ),
     size as materialized (select count(*)::int as looked from looked)
     select looked, (
       case when looked <= ${LOOK_UP_AT_MOST} then (
         select count(*) from (
           select id from looked
           except
           select d.event_id from posthorn.deliveries as d
           where d.event_id = any (array(select id from looked)) and d.webhook_id::text = $1 and d.id >= $2
         ) as missed
       ) else (
         select count(*) from (
           select id from looked
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
      atMost + 1,
    ],
  )
  const { count = 0, looked = 0 } = rows[0] ?? {}
  return { count, exact: looked <= atMost }
}
