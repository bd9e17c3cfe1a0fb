import type { Prisma, PrismaClient } from '../db/generated/prisma/client.ts'
import { publicId } from '../db/ids.ts'
import { enqueue } from '../queue/jobs.ts'
import { firstDeliveryUuidOf, type RecoveryInclude } from './recovery-scope.ts'
import { createMissed, redeliverFailed } from './recovery-steps.ts'

/** A page queues what its rate allows in this time, so that deliveries come evenly. */
const PAGE_EVERY_MS = 250

/** And no more than this, so that its transaction is short. */
const MAX_PAGE_SIZE = 500

/** How long a recovery rests before it looks whether its webhook was enabled again. */
const REST_MS = 5_000

/** How long it waits for transactions that were publishing when it began, and how often it looks. */
const SETTLE_WITHIN_SECONDS = 30
const SETTLE_EVERY_MS = 200

/**
 * Queues the next page of a recovery: one transaction, which also says how far it came. So a process that is killed leaves
 * whole pages, and the next one continues behind them. Answers in how many milliseconds the next page may follow; `null`
 * once the recovery has ended.
 *
 * The row of the recovery is locked from the beginning to the commit. A second process on the same recovery waits for it
 * and finds that the time of the next page has not come, so the rate is kept by all of them together. A recovery is never
 * canceled in the middle of a page, so one that is begun afterwards sees all that it queued.
 */
export async function recoverPage(prisma: PrismaClient, uuid: string): Promise<number | null> {
  return await prisma.$transaction(
    async (tx) => {
      // Against other recoveries that create deliveries of past events.
      await tx.$queryRaw`
        select pg_advisory_xact_lock(hashtextextended('posthorn.recover:' || webhook_id::text, 0))::text
        from posthorn.recoveries where id = ${uuid}::uuid`
      const recovery = await lockRecovery(tx, uuid)
      if (recovery?.state !== 'running') return null
      if (recovery.deleted) return await fail(tx, uuid, 'The webhook was deleted.')
      if (recovery.waitMs > 0) return Math.ceil(recovery.waitMs)
      if (!recovery.enabled) return REST_MS
      if (recovery.step === 'missed' && !recovery.settled) return SETTLE_EVERY_MS
      return await makePage(tx, recovery)
    },
    { maxWait: 10_000, timeout: 60_000 },
  )
}

/** Ends a recovery for a reason of which the caller should know. */
export async function fail(
  db: Prisma.TransactionClient,
  uuid: string,
  reason: string,
): Promise<null> {
  await db.$executeRaw`
    update posthorn.recoveries set state = 'failed', failure = ${reason}, finished_at = now()
    where id = ${uuid}::uuid and state = 'running'`
  return null
}

export interface LockedRecovery {
  readonly id: string
  readonly organizationId: string
  readonly webhookId: string
  readonly eventSubscriptions: readonly string[]
  readonly since: Date
  readonly until: Date
  readonly include: RecoveryInclude
  readonly ratePerSecond: number
  readonly state: string
  readonly step: 'failed' | 'missed'
  readonly reachedId: string
  readonly enabled: boolean
  readonly ordered: boolean
  readonly deleted: boolean
  /** Until the next page may follow. */
  readonly waitMs: number
  /** Whether all is visible that was published before it began. */
  readonly settled: boolean
}

/** The webhook is locked against the switch and a deletion, too. */
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
      pg_snapshot_xmin(pg_current_snapshot())::text::bigint >= r.started_xid
        or posthorn.uuid_v7_timestamp(r.id) < now() - ${SETTLE_WITHIN_SECONDS} * interval '1 second' as settled
    from posthorn.recoveries as r join posthorn.webhooks as w on w.id = r.webhook_id
    where r.id = ${uuid}::uuid
    for update of r for share of w`
  return row
}

async function makePage(
  tx: Prisma.TransactionClient,
  recovery: LockedRecovery,
): Promise<number | null> {
  const { id, step, include, ratePerSecond } = recovery
  const size = Math.min(Math.ceil((ratePerSecond * PAGE_EVERY_MS) / 1_000), MAX_PAGE_SIZE)
  const make = step === 'failed' ? redeliverFailed : createMissed
  const { made, reachedId, last } = await make(tx, recovery, size)
  // What was queued keeps its share of the time, also at the end.
  if (last && made === 0) {
    if (step === 'missed' || include === 'failed') return await complete(tx, id)
    const first = firstDeliveryUuidOf(recovery.since)
    await tx.$executeRaw`
      update posthorn.recoveries set step = 'missed', reached_id = ${first}::uuid where id = ${id}::uuid`
    return 0
  }
  if (recovery.ordered && made > 0) {
    const webhookId = publicId('webhook', recovery.webhookId)
    await enqueue(tx, 'release_backlog', { webhookId })
  }
  const waitMs = (made * 1_000) / ratePerSecond
  await tx.$executeRaw`
    update posthorn.recoveries set
      redelivered = redelivered + ${step === 'failed' ? made : 0},
      created = created + ${step === 'missed' ? made : 0},
      reached_id = coalesce(${reachedId}::uuid, reached_id), fault_count = 0,
      next_page_at = clock_timestamp() + ${waitMs}::float8 * interval '1 millisecond'
    where id = ${id}::uuid`
  return Math.ceil(waitMs)
}

async function complete(tx: Prisma.TransactionClient, uuid: string): Promise<null> {
  await tx.$executeRaw`
    update posthorn.recoveries set state = 'completed', finished_at = now() where id = ${uuid}::uuid`
  return null
}
