import type { Prisma, PrismaClient } from '../db/generated/prisma/client.ts'
import { publicId } from '../db/ids.ts'
import { enqueue } from '../queue/jobs.ts'
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
 * pages and the next process continues after them. Returns the milliseconds until the next page, or `null` once the
 * recovery queues no more.
 *
 * The transaction locks the recovery's row from start to commit. A second process on the same recovery then finds that
 * the next page is not due yet, so all processes together keep the rate. A cancellation waits for the page, so the next
 * recovery sees everything that this one queued.
 */
export async function queueRecoveryPage(
  prisma: PrismaClient,
  uuid: string,
): Promise<number | null> {
  return await prisma.$transaction(
    async (tx) => {
      // Excludes other recoveries of the webhook, which could create the same missing deliveries.
      await tx.$queryRaw`
        select pg_advisory_xact_lock(hashtextextended('posthorn.recover:' || webhook_id::text, 0))::text
        from posthorn.recoveries where id = ${uuid}::uuid`
      const recovery = await lockRecovery(tx, uuid)
      if (recovery?.state !== 'running') return null
      if (recovery.deleted) return await failRecovery(tx, uuid, 'The webhook was deleted.')
      if (recovery.waitMs > 0) return Math.ceil(recovery.waitMs)
      if (!recovery.enabled) return DISABLED_POLL_MS
      if (recovery.step === 'missed' && !recovery.settled) return SETTLE_POLL_MS
      return await queuePage(tx, recovery)
    },
    { maxWait: 10_000, timeout: 60_000 },
  )
}

/** Fails a recovery with a reason that its owner reads. */
export async function failRecovery(
  db: Prisma.TransactionClient,
  uuid: string,
  reason: string,
): Promise<null> {
  await db.$executeRaw`
    update posthorn.recoveries set state = 'failed', failure = ${reason}, finished_at = now()
    where id = ${uuid}::uuid and state in ('running', 'following')`
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
async function lockRecovery(
  tx: Prisma.TransactionClient,
  uuid: string,
): Promise<LockedRecovery | undefined> {
  const [row] = await tx.$queryRaw<LockedRecovery[]>`
    select r.id, r.organization_id as "organizationId", r.webhook_id as "webhookId", r.since, r.until,
      r.include::text, r.rate_per_second as "ratePerSecond", r.state::text, r.step::text,
      r.reached_id as "reachedId", w.event_subscriptions as "eventSubscriptions", w.enabled, w.ordered,
      w.deleted_at is not null as deleted,
      (extract(epoch from r.next_page_at - clock_timestamp()) * 1000)::float8 as "waitMs",
      (pg_snapshot_xmin(pg_current_snapshot())::text::bigint >= r.started_xid
        or posthorn.uuid_v7_timestamp(r.id) < now() - ${SETTLE_TIMEOUT_SECONDS} * interval '1 second')
        and not exists (
          select from posthorn.fan_outs as f where f.organization_id = r.organization_id
            and f.event_ids[1] < posthorn.uuid_v7_lower_bound(r.until)) as settled
    from posthorn.recoveries as r join posthorn.webhooks as w on w.id = r.webhook_id
    where r.id = ${uuid}::uuid
    for update of r for share of w`
  return row
}

async function queuePage(
  tx: Prisma.TransactionClient,
  recovery: LockedRecovery,
): Promise<number | null> {
  const { id, step, include, ratePerSecond } = recovery
  const size = Math.min(Math.ceil((ratePerSecond * PAGE_INTERVAL_MS) / 1_000), MAX_PAGE_SIZE)
  const queue = step === 'failed' ? redeliverFailedDeliveries : createMissedDeliveries
  const { queued, reachedId, last } = await queue(tx, recovery, size)
  // A step ends with an empty page, so that the wait after its last deliveries keeps the rate.
  if (last && queued === 0) {
    if (step === 'missed' || include === 'failed') return await endQueueing(tx, id)
    const first = firstDeliveryUuidOf(recovery.since)
    await tx.$executeRaw`
      update posthorn.recoveries set step = 'missed', reached_id = ${first}::uuid where id = ${id}::uuid`
    return 0
  }
  if (recovery.ordered && queued > 0) {
    const webhookId = publicId('webhook', recovery.webhookId)
    await enqueue(tx, 'release_backlog', { webhookId })
  }
  const waitMs = (queued * 1_000) / ratePerSecond
  await tx.$executeRaw`
    update posthorn.recoveries set
      redelivered = redelivered + ${step === 'failed' ? queued : 0},
      created = created + ${step === 'missed' ? queued : 0},
      reached_id = coalesce(${reachedId}::uuid, reached_id), fault_count = 0,
      next_page_at = clock_timestamp() + ${waitMs}::float8 * interval '1 millisecond'
    where id = ${id}::uuid`
  return Math.ceil(waitMs)
}

/** Ends the queueing. Without unfinished deliveries, the recovery has completed. */
async function endQueueing(tx: Prisma.TransactionClient, uuid: string): Promise<null> {
  await tx.$executeRaw`
    update posthorn.recoveries set
      (state, finished_at) = (
        select case when open then 'following' else 'completed' end::posthorn.recovery_state,
          case when not open then now() end
        from (
          select exists (
            select from posthorn.recovery_items where recovery_id = ${uuid}::uuid) as open
        ) as items)
    where id = ${uuid}::uuid`
  return null
}
