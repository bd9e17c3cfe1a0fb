import { setTimeout as sleep } from 'node:timers/promises'
import { isDatabaseUnavailable } from '../db/faults.ts'
import type { PrismaClient } from '../db/generated/prisma/client.ts'
import { parseId } from '../db/ids.ts'
import { enqueue } from '../queue/jobs.ts'
import { fail, recoverPage } from './recovery-page.ts'

/** How long one job goes on. A shutdown waits no longer than that, and a cancelation takes effect at the next page. */
const RUN_MS = 900

/** After so many faults of ours in a row it fails. graphile-worker waits longer after each. */
const FAILS_AFTER_FAULTS = 10

/**
 * Continues a recovery for a moment, page by page at its rate, and then leaves the rest to another job, which any process
 * may claim. It holds no lock while it waits.
 */
export async function continueRecovery(
  prisma: PrismaClient,
  recoveryId: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  const uuid = parseId('recovery', recoveryId)
  if (uuid === null)
    throw new Error(`A job names ${JSON.stringify(recoveryId)}, which is no recovery's id.`)
  const ends = Date.now() + RUN_MS
  for (;;) {
    const waitMs = await recoverPage(prisma, uuid).catch((error) => countFault(prisma, uuid, error))
    if (waitMs === null) return
    if (signal?.aborted || Date.now() + waitMs > ends)
      return await enqueueRest(prisma, recoveryId, waitMs)
    await sleep(waitMs)
  }
}

/** A short wait is left to the next job: workers look for jobs that are due later only now and then. */
async function enqueueRest(
  prisma: PrismaClient,
  recoveryId: string,
  waitMs: number,
): Promise<void> {
  const later = waitMs > RUN_MS && { runAt: new Date(Date.now() + waitMs) }
  await enqueue(prisma, 'recover_deliveries', { recoveryId }, { key: recoveryId, ...later })
}

/** A database that is unavailable ends no recovery; a page that fails again and again does. */
async function countFault(prisma: PrismaClient, uuid: string, error: unknown): Promise<never> {
  if (isDatabaseUnavailable(error)) throw error
  const [counted] = await prisma.$queryRaw<{ faults: number }[]>`
    update posthorn.recoveries set fault_count = fault_count + 1
    where id = ${uuid}::uuid and state = 'running' returning fault_count as faults`
  if (counted && counted.faults >= FAILS_AFTER_FAULTS) {
    await fail(
      prisma,
      uuid,
      'Posthorn failed to go on with it, for a reason that is in the log of its worker. What was queued stays queued. Begin another, which does nothing twice.',
    )
  }
  throw error
}
