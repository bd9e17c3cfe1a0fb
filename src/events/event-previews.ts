import type { Sql } from '../db/client.ts'

export const PREVIEW_LENGTH = 200

/** The start of the data of each of these events, in their order. Null for an erased one. A list shows it without reading whole payloads. */
export async function previewsOf(sql: Sql, uuids: readonly string[]): Promise<(string | null)[]> {
  const { rows } = await sql.query<{ id: string; preview: string | null }>(
    `select id, case when erased_at is null then left(data, ${PREVIEW_LENGTH}) end as preview from posthorn.events where id = any ($1::uuid[])`,
    [uuids],
  )
  const byId = new Map(rows.map(({ id, preview }) => [id, preview]))
  return uuids.map((uuid) => byId.get(uuid) ?? null)
}
