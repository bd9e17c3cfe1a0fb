import type { Sql } from '../db/client.ts'

/** Deletes audit entries past their retention, and returns their number. */
export async function deleteOldAuditEntries(sql: Sql, retentionMs: number): Promise<number> {
  const { rows } = await sql.query<{ deleted: number }>(
    `select posthorn.delete_old_audit_entries($1::float8 * interval '1 millisecond')::int as deleted`,
    [retentionMs],
  )
  return rows[0]?.deleted ?? 0
}
