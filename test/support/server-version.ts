import type { Sql } from '../../src/db/client.ts'

/** The major version of Postgres. */
export async function serverVersion(sql: Sql): Promise<number> {
  const { rows } = await sql.query(
    `select current_setting('server_version_num')::int / 10000 as major`,
  )
  return rows[0].major
}
