import type { Sql } from '../db/client.ts'
import { followVersion } from '../lib/follow-version.ts'

/** An event type of the catalogue as documents describe it. */
export interface DescribedType {
  readonly name: string
  readonly group: string | null
  readonly description: string
  /** A JSON Schema, as JSON. Null: `data` is any JSON value. */
  readonly schema: string | null
  /** JSON. */
  readonly example: string | null
}

/** What is made of the event types that are not archived, sorted by name, and follows the catalogue. */
export function followCatalogue<Made>(
  sql: Sql,
  make: (types: readonly DescribedType[]) => Promise<Made>,
): () => Promise<Made> {
  return followVersion(
    () => readVersion(sql),
    async () => make(await readTypes(sql)),
  )
}

/** A hash, because a change in SQL leaves `revision` as it is. */
async function readVersion(sql: Sql): Promise<string> {
  const { rows } = await sql.query<{ version: string }>({
    name: 'read_catalogue_version',
    text: `
      select coalesce(md5(string_agg(
        md5(row(name, group_name, description, schema::text, example::text)::text), '' order by name collate "C")), '')
        as version
      from posthorn.event_types where archived_at is null`,
  })
  return rows[0]?.version ?? ''
}

async function readTypes(sql: Sql): Promise<DescribedType[]> {
  const { rows } = await sql.query<DescribedType>({
    name: 'read_catalogue',
    text: `
      select name, group_name as "group", description, schema::text, example::text
      from posthorn.event_types where archived_at is null order by name collate "C"`,
  })
  return rows
}
