import type { Sql } from '../db/client.ts'

/** Deletes the recoveries that ended longer ago than deliveries are kept. Answers how many. */
export async function deleteOldRecoveries(sql: Sql, retentionMs: number): Promise<number> {
  const { rows } = await sql.query<{ deleted: number }>(
    `select posthorn.delete_old_recoveries($1::float8 * interval '1 millisecond')::int as deleted`,
    [retentionMs],
  )
  return rows[0]?.deleted ?? 0
}
