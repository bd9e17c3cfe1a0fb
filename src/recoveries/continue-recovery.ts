import type { Database, Sql } from '../db/client.ts'
import { isDatabaseUnavailable } from '../db/faults.ts'
import { publicId } from '../db/ids.ts'
import { type Page, runPages } from '../queue/background.ts'
import { followRecovery } from './follow-recovery.ts'
import { failRecovery, queueRecoveryPage } from './recovery-page.ts'

/** Consecutive faults of Posthorn after which a recovery fails. graphile-worker's backoff separates them. */
const MAX_FAULTS = 10

/**
 * Runs the next pages of a recovery, and adds the job for the rest. Once all deliveries are queued, the pages count how
 * they finish; before that, one page in each run does.
 */
export async function continueRecovery(
  pool: Database['pool'],
  uuid: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  const recoveryId = publicId('recovery', uuid)
  async function runPage(previous: Page | null): Promise<Page | null> {
    const page = await queueRecoveryPage(pool, uuid)
    if (page === null) return null
    if (page.waitMs === null) return { ...page, waitMs: await followRecovery(pool, uuid) }
    if (previous === null) await followRecovery(pool, uuid)
    return page
  }
  const job = {
    task: 'recover_deliveries',
    key: recoveryId,
    payload: () => ({ recoveryId }),
  } as const
  await runPages(
    pool,
    job,
    (previous) => runPage(previous).catch((error) => recordFault(pool, uuid, error)),
    signal,
  )
}

/** Fails the recovery after `MAX_FAULTS` consecutive faults. An unavailable database does not count. */
async function recordFault(sql: Sql, uuid: string, error: unknown): Promise<never> {
  if (isDatabaseUnavailable(error)) throw error
  const { rows } = await sql.query<{ faults: number }>(
    `update posthorn.recoveries set fault_count = fault_count + 1
     where id = $1 and state in ('running', 'following') returning fault_count as faults`,
    [uuid],
  )
  if ((rows[0]?.faults ?? 0) >= MAX_FAULTS) {
    await failRecovery(
      sql,
      uuid,
      'An internal error stopped the recovery; the worker log has the details. Queued deliveries stay queued. Start another recovery: it queues nothing twice.',
    )
  }
  throw error
}
