import type { Sql } from '../db/client.ts'
import { atMostEvery } from '../lib/at-most-every.ts'
import { type ExactJson, parseExactJson } from '../lib/exact-json.ts'

/** An event type of the catalogue as documents describe it. */
export interface DescribedType {
  readonly name: string
  readonly group: string | null
  readonly description: string
  /** A JSON Schema. Null: `data` is any JSON value. */
  readonly schema: ExactJson
  readonly example: ExactJson
}

/** How often Postgres is asked: documents need no key, so a flood of requests must cost little. */
const NEW_DOCUMENT_MS = 1_000

/**
 * A document about the event types that are not archived, sorted by name. It is made for the first call, and again after
 * the catalogue has changed.
 */
export function followCatalogue<Document>(
  sql: Sql,
  make: (types: readonly DescribedType[]) => Document,
): () => Promise<Document> {
  let made: { readonly version: string; readonly document: Document } | null = null
  return atMostEvery(NEW_DOCUMENT_MS, async () => {
    const version = await readVersion(sql)
    if (made?.version !== version) made = { version, document: make(await readTypes(sql)) }
    return made.document
  })
}

/** A hash, because a change in SQL leaves `revision` as it is. */
export async function readVersion(sql: Sql): Promise<string> {
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
  interface Row extends Omit<DescribedType, 'schema' | 'example'> {
    readonly schema: string | null
    readonly example: string | null
  }
  const { rows } = await sql.query<Row>({
    name: 'read_catalogue',
    text: `
      select name, group_name as "group", description, schema::text, example::text
      from posthorn.event_types where archived_at is null order by name collate "C"`,
  })
  return rows.map((row) => ({
    ...row,
    schema: row.schema === null ? null : parseExactJson(row.schema),
    example: row.example === null ? null : parseExactJson(row.example),
  }))
}
