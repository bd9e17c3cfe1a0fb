import type { Sql } from '../db/client.ts'

/** Erases the entries of the audit log that are past their retention. Answers how many. */
export async function eraseOldAuditEntries(sql: Sql, retentionMs: number): Promise<number> {
  const { rows } = await sql.query<{ erased: number }>(
    `select posthorn.delete_old_audit_entries($1::float8 * interval '1 millisecond')::int as erased`,
    [retentionMs],
  )
  return rows[0]?.erased ?? 0
}
