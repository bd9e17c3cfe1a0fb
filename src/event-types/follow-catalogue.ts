import type { Sql } from '../db/client.ts'
import { atMostEvery } from '../lib/at-most-every.ts'
import { type CatalogueType, SELECT_TYPES } from './catalogue/catalogue-type.ts'

/** An event type of the catalogue as documents describe it. */
export type DescribedType = Pick<
  CatalogueType,
  'name' | 'group' | 'description' | 'schema' | 'example'
>

/** Documents need no key or little work, so a flood of requests must cost little. */
const LOOK_EVERY_MS = 1_000

/** What nobody asks for leaves the memory. */
const KEEP_MS = 60_000

/**
 * What is made of the event types that are not archived, sorted by name: for the first call, after the catalogue has changed,
 * which is looked at once a second at most, and after nobody has asked for a minute. Concurrent calls share it.
 */
export function followCatalogue<Made>(
  sql: Sql,
  make: (types: readonly DescribedType[]) => Promise<Made>,
): () => Promise<Made> {
  const look = atMostEvery(LOOK_EVERY_MS, () => readVersion(sql))
  let made: { readonly version: string; readonly value: Promise<Made> } | null = null
  let forgetting: NodeJS.Timeout | undefined
  const forget = () => {
    made = null
  }
  return async () => {
    const version = await look()
    if (made?.version !== version) {
      made = { version, value: readTypes(sql).then(make) }
      made.value.catch(forget)
    }
    clearTimeout(forgetting)
    forgetting = setTimeout(forget, KEEP_MS).unref()
    return await made.value
  }
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
    text: `${SELECT_TYPES} where archived_at is null order by name collate "C"`,
  })
  return rows
}
