import type { Sql } from '../db/client.ts'

/** Deletes expired secrets, and returns their number. */
export async function deleteExpiredSecrets(sql: Sql): Promise<number> {
  const { rowCount } = await sql.query(
    'delete from posthorn.signing_secrets where expires_at <= now()',
  )
  return rowCount ?? 0
}
