import type { Sql } from '../db/client.ts'

/** Deletes recoveries that ended before the retention of deliveries, and returns their number. */
export async function deleteOldRecoveries(sql: Sql, retentionMs: number): Promise<number> {
  const { rows } = await sql.query<{ deleted: number }>(
    `select posthorn.delete_old_recoveries($1::float8 * interval '1 millisecond')::int as deleted`,
    [retentionMs],
  )
  return rows[0]?.deleted ?? 0
}
