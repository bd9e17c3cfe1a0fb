import type { Database, Sql } from '../db/client.ts'
import { inTransaction } from '../db/transaction.ts'
import { countFinished, PAUSE } from '../deliveries/count-finished.ts'
import { WAIT_MS } from '../deliveries/page-rate.ts'

interface LockedRecovery {
  readonly state: string
  readonly followedId: string
  /** Milliseconds until the next page. */
  readonly waitMs: number
}

/**
 * Counts which of the next unfinished deliveries of a recovery have finished, also after the recovery was canceled or has
 * failed: what it queued is delivered. Returns the milliseconds until the next page, or `null` once all have finished.
 * While the recovery is still queueing, this only counts.
 */
export async function followRecovery(pool: Database['pool'], uuid: string): Promise<number | null> {
  return await inTransaction(pool, async (sql) => {
    const recovery = await lockRecovery(sql, uuid)
    if (!recovery || recovery.state === 'completed') return null
    const { state, followedId, waitMs } = recovery
    if (state !== 'running' && waitMs > 0) return waitMs
    const page = await countFinished(sql, 'recovery_items', uuid, followedId)
    const { rows } = await sql.query<{ waitMs: number }>({
      name: 'move_recovery',
      text: MOVE,
      values: [uuid, page.succeeded, page.exhausted, page.canceled, page.reachedId, page.passed],
    })
    return rows[0]?.waitMs ?? null
  })
}

async function lockRecovery(sql: Sql, uuid: string): Promise<LockedRecovery | undefined> {
  const { rows } = await sql.query<LockedRecovery>({
    name: 'lock_recovery_to_follow',
    text: `
      select state::text, followed_id as "followedId", ${WAIT_MS}
      from posthorn.recoveries where id = $1 for update`,
    values: [uuid],
  })
  return rows[0]
}

/** While the recovery is queueing, `next_page_at` is the time of the next page to queue. */
const MOVE = `
  with moved as (
    update posthorn.recoveries as r set
      succeeded = succeeded + $2, exhausted = exhausted + $3, canceled = canceled + $4, fault_count = 0,
      followed_id = $5,
      next_page_at = case when state = 'running' then next_page_at
        when $6 then clock_timestamp() + ${PAUSE} else now() end,
      state = case when state = 'following' and not items.open then 'completed' else state end,
      finished_at = case when state = 'following' and not items.open then now() else finished_at end
    from (
      select exists (
        select from posthorn.recovery_items where recovery_id = $1) as open
    ) as items
    where id = $1
    returning next_page_at, items.open
  )
  select ${WAIT_MS} from moved where open`
