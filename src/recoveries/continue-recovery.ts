import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../db/client.ts'
import { isDatabaseUnavailable } from '../db/faults.ts'
import type { PrismaClient } from '../db/generated/prisma/client.ts'
import { publicId } from '../db/ids.ts'
import { enqueue } from '../queue/jobs.ts'
import { followRecovery } from './follow-recovery.ts'
import { failRecovery, queueRecoveryPage } from './recovery-page.ts'

/** The longest run of one job, and so the longest that a shutdown waits for a recovery. */
const MAX_RUN_MS = 900

/** Consecutive faults of Posthorn after which a recovery fails. graphile-worker's backoff separates them. */
const MAX_FAULTS = 10

type Databases = Pick<Database, 'prisma' | 'pool'>

/**
 * Continues a recovery for up to `MAX_RUN_MS`, page by page at its rate, then enqueues another job for the rest, which
 * any process can claim. A wait between pages holds no lock. Once all deliveries are queued, the pages count how they
 * finish; before that, one page in each run does.
 */
export async function continueRecovery(
  { prisma, pool }: Databases,
  uuid: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  const endsAtMs = Date.now() + MAX_RUN_MS
  for (;;) {
    const { waitMs, queues } = await runPage({ prisma, pool }, uuid).catch((error) =>
      recordFault(prisma, uuid, error),
    )
    if (waitMs === null) return
    if (signal?.aborted || Date.now() + waitMs > endsAtMs) {
      if (queues && !signal?.aborted) {
        await followRecovery(pool, uuid).catch((error) => recordFault(prisma, uuid, error))
      }
      return await enqueueNextRun(prisma, publicId('recovery', uuid), waitMs)
    }
    await sleep(waitMs)
  }
}

async function runPage({ prisma, pool }: Databases, uuid: string) {
  const waitMs = await queueRecoveryPage(prisma, uuid)
  if (waitMs !== null) return { waitMs, queues: true }
  return { waitMs: await followRecovery(pool, uuid), queues: false }
}

/** For a short wait, the next job is due now and waits itself, because workers notice scheduled jobs only by polling. */
async function enqueueNextRun(
  prisma: PrismaClient,
  recoveryId: string,
  waitMs: number,
): Promise<void> {
  const schedule = waitMs > MAX_RUN_MS && { runAt: new Date(Date.now() + waitMs) }
  await enqueue(prisma, 'recover_deliveries', { recoveryId }, { key: recoveryId, ...schedule })
}

/** Fails the recovery after `MAX_FAULTS` consecutive faults. An unavailable database does not count. */
async function recordFault(prisma: PrismaClient, uuid: string, error: unknown): Promise<never> {
  if (isDatabaseUnavailable(error)) throw error
  const [counted] = await prisma.$queryRaw<{ faults: number }[]>`
    update posthorn.recoveries set fault_count = fault_count + 1
    where id = ${uuid}::uuid and state in ('running', 'following') returning fault_count as faults`
  if (counted && counted.faults >= MAX_FAULTS) {
    await failRecovery(
      prisma,
      uuid,
      'An internal error stopped the recovery; the worker log has the details. Queued deliveries stay queued. Start another recovery: it queues nothing twice.',
    )
  }
  throw error
}
