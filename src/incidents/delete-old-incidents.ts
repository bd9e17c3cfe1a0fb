import type { Sql } from '../db/client.ts'

/** Deletes the incidents that were closed before the retention, with their history. Returns their number. */
export async function deleteOldIncidents(
  sql: Sql,
  retentionMs: number,
  now = new Date(),
): Promise<number> {
  const { rowCount } = await sql.query('delete from posthorn.incidents where closed_at < $1', [
    new Date(now.getTime() - retentionMs),
  ])
  return rowCount ?? 0
}
