import type { Sql } from '../../../../src/db/client.ts'
import { ORGANIZATION_TABLES } from '../../../../src/organizations/deletion/delete-rows.ts'

/** A checksum of all rows of an organization, table by table. */
export async function contentsOf(sql: Sql, organizationUuid: string) {
  const contents: Record<string, unknown> = {}
  for (const table of Object.keys(ORGANIZATION_TABLES)) {
    const { rows } = await sql.query(
      `select md5(string_agg(r::text, ' ' order by r::text)) as hash, count(*)::int as n
       from posthorn.${table} as r where organization_id = $1`,
      [organizationUuid],
    )
    contents[table] = rows[0]
  }
  return contents
}
