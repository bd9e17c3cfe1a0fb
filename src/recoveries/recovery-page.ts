import type { Database, Sql } from '../db/client.ts'
import { publicId } from '../db/ids.ts'
import { inTransaction } from '../db/transaction.ts'
import { nextPageAt, WAIT_MS } from '../deliveries/page-rate.ts'
import type { Page } from '../queue/background.ts'
import { firstDeliveryUuidOf, type RecoveryInclude } from './recovery-scope.ts'
import {
  createMissedDeliveries,
  type RecoveryPosition,
  redeliverFailedDeliveries,
} from './recovery-steps.ts'

/** A page queues as many deliveries as the rate allows in this time, which spreads them evenly. */
const PAGE_INTERVAL_MS = 250

/** Keeps the transaction of a page short. */
const MAX_PAGE_SIZE = 500

/** How often a recovery checks whether its disabled webhook was enabled again. */
const DISABLED_POLL_MS = 5_000

/** How long a recovery waits for transactions that were publishing when it started, and how often it checks them. */
const SETTLE_TIMEOUT_SECONDS = 30
const SETTLE_POLL_MS = 200

/**
 * Queues the next page of a recovery and moves its cursor, in one transaction, so that a killed process leaves whole
 * pages and the next process continues after them. Returns `null` if there is no such recovery,
 * and no time of a next page once the recovery queues no more.
 *
 * The transaction locks the recovery's row from start to commit. A second process on the same recovery then finds that
 * the next page is not due yet, so all processes together keep the rate. A cancellation waits for the page, so the next
 * recovery sees everything that this one queued.
 */
export async function queueRecoveryPage(
  pool: Database['pool'],
  uuid: string,
): Promise<Page | null> {
  return await inTransaction(pool, async (sql) => {
    // Excludes other recoveries of the webhook, which could create the same missing deliveries.
    await sql.query(
      `select pg_advisory_xact_lock(hashtextextended('posthorn.recover:' || webhook_id::text, 0))
       from posthorn.recoveries where id = $1`,
      [uuid],
    )
    const recovery = await lockRecovery(sql, uuid)
    if (!recovery) return null
    const { organizationId: organizationUuid } = recovery
    return { organizationUuid, waitMs: await queueNext(sql, recovery) }
  })
}

async function queueNext(sql: Sql, recovery: LockedRecovery): Promise<number | null> {
  if (recovery.state !== 'running') return null
  if (recovery.deleted) return await failRecovery(sql, recovery.id, 'The webhook was deleted.')
  if (recovery.waitMs > 0) return recovery.waitMs
  if (!recovery.enabled) return DISABLED_POLL_MS
  if (recovery.step === 'missed' && !recovery.settled) return SETTLE_POLL_MS
  return await queuePage(sql, recovery)
}

/** Fails a recovery with a reason that its owner reads. */
export async function failRecovery(sql: Sql, uuid: string, reason: string): Promise<null> {
  await sql.query(
    `update posthorn.recoveries set state = 'failed', failure = $2, finished_at = now()
     where id = $1 and state in ('running', 'following')`,
    [uuid, reason],
  )
  return null
}

interface LockedRecovery extends RecoveryPosition {
  readonly include: RecoveryInclude
  readonly ratePerSecond: number
  readonly state: string
  readonly step: 'failed' | 'missed'
  readonly enabled: boolean
  readonly ordered: boolean
  readonly deleted: boolean
  /** Milliseconds until the next page. */
  readonly waitMs: number
  /** Whether every event published before the start of the recovery is visible and has its deliveries. */
  readonly settled: boolean
}

/** Also locks the webhook, against disabling and deletion. */
async function lockRecovery(sql: Sql, uuid: string): Promise<LockedRecovery | undefined> {
  const { rows } = await sql.query<LockedRecovery>(
    `select r.id, r.organization_id as "organizationId", r.webhook_id as "webhookId", r.since, r.until,
       r.include::text, r.rate_per_second as "ratePerSecond", r.state::text, r.step::text,
       r.reached_id as "reachedId", w.event_subscriptions as "eventSubscriptions", w.enabled, w.ordered,
       w.deleted_at is not null as deleted, ${WAIT_MS},
       (pg_snapshot_xmin(pg_current_snapshot())::text::bigint >= r.started_xid
         or posthorn.uuid_v7_timestamp(r.id) < now() - ${SETTLE_TIMEOUT_SECONDS} * interval '1 second')
         and not exists (
           select from posthorn.fan_outs as f where f.organization_id = r.organization_id
             and f.event_ids[1] < posthorn.uuid_v7_lower_bound(r.until)) as settled
     from posthorn.recoveries as r join posthorn.webhooks as w on w.id = r.webhook_id
     where r.id = $1
     for update of r for share of w`,
    [uuid],
  )
  return rows[0]
}

async function queuePage(sql: Sql, recovery: LockedRecovery): Promise<number | null> {
  const { id, step, include, ratePerSecond } = recovery
  const size = Math.min(Math.ceil((ratePerSecond * PAGE_INTERVAL_MS) / 1_000), MAX_PAGE_SIZE)
  const queue = step === 'failed' ? redeliverFailedDeliveries : createMissedDeliveries
  const { queued, reachedId, last } = await queue(sql, recovery, size)
  // A step ends with an empty page, so that the wait after its last deliveries keeps the rate.
  if (last && queued === 0) {
    if (step === 'missed' || include === 'failed') return await endQueueing(sql, id)
    await sql.query(
      `update posthorn.recoveries set step = 'missed', reached_id = $2 where id = $1`,
      [id, firstDeliveryUuidOf(recovery.since)],
    )
    return 0
  }
  if (recovery.ordered && queued > 0) {
    const webhookId = publicId('webhook', recovery.webhookId)
    await sql.query(`select posthorn.enqueue('release_backlog', $1)`, [{ webhookId }])
  }
  const { rows } = await sql.query<{ waitMs: number }>(
    `update posthorn.recoveries set
       redelivered = redelivered + $2, created = created + $3,
       reached_id = coalesce($4::uuid, reached_id), fault_count = 0, next_page_at = ${nextPageAt('$5')}
     where id = $1 returning ${WAIT_MS}`,
    [
      id,
      step === 'failed' ? queued : 0,
      step === 'missed' ? queued : 0,
      reachedId,
      (queued * 1_000) / ratePerSecond,
    ],
  )
  return rows[0]?.waitMs ?? null
}

/** Ends the queueing. Without unfinished deliveries, the recovery has completed. */
async function endQueueing(sql: Sql, uuid: string): Promise<null> {
  await sql.query(
    `update posthorn.recoveries set
       (state, finished_at) = (
         select case when open then 'following' else 'completed' end::posthorn.recovery_state,
           case when not open then now() end
         from (
           select exists (select from posthorn.recovery_items where recovery_id = $1) as open
         ) as items)
     where id = $1`,
    [uuid],
  )
  return null
}
