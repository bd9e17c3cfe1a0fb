import type { Sql } from '../db/client.ts'

/** More than ever linger but in a backlog, which is found without being marked. */
const MARK_AT_MOST = 10_000

/**
 * Puts pending deliveries that are no longer fresh into the index that they are listed by; see the function of this
 * name in the migration `search_and_count`. Answers how many.
 */
export async function markLingeringDeliveries(sql: Sql, atMost = MARK_AT_MOST): Promise<number> {
  const { rows } = await sql.query<{ marked: number }>(
    'select posthorn.mark_lingering_deliveries($1) as marked',
    [atMost],
  )
  return rows[0]?.marked ?? 0
}
