import type { Sql } from '../db/client.ts'

/** Erases the recoveries that ended longer ago than deliveries are kept. Answers how many. */
export async function eraseOldRecoveries(sql: Sql, retentionMs: number): Promise<number> {
  const { rows } = await sql.query<{ erased: number }>(
    `select posthorn.delete_old_recoveries($1::float8 * interval '1 millisecond')::int as erased`,
    [retentionMs],
  )
  return rows[0]?.erased ?? 0
}
