import type { Sql } from '../../src/db/client.ts'

/** In `countRows`: the statements of the database that wait for a lock. */
export const WAITING = `pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`

/** Counts the rows of a table, or of a table with a condition. */
export async function countRows(
  sql: Sql,
  from: string,
  values: readonly unknown[] = [],
): Promise<number> {
  const { rows } = await sql.query<{ n: number }>(
    `select count(*)::int as n from ${from}`,
    values as unknown[],
  )
  return rows[0]?.n ?? 0
}
