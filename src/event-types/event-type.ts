import type { Sql } from '../db/client.ts'
import { batched } from '../lib/batch.ts'
import { type CheckData, compileSchema } from '../lib/json-schema.ts'

/** The largest `data` of an event, as JSON. */
export const MAX_DATA_BYTES = 256 * 1024

interface CatalogueEntry {
  readonly name: string
  readonly schema: object | null
  readonly revision: string
}

/** Event types that can be published, by name. */
export type KnownTypes = ReadonlyMap<string, KnownType>

/** An event type that can be published, as of the last read. */
export interface KnownType {
  readonly revision: string
  readonly check: CheckData
}

/**
 * A cache of event types with their compiled schemas. The cache can be outdated: storing an event verifies the revision
 * that the event was checked against, and no event is rejected before a refresh.
 */
export interface Catalogue {
  /** Reads event types that are not cached from Postgres. */
  find(names: readonly string[]): Promise<KnownTypes>
  /** Reads all of the event types from Postgres. */
  refresh(names: readonly string[]): Promise<KnownTypes>
  names(): Promise<string[]>
}

export function createCatalogue(sql: Sql): Catalogue {
  const known = new Map<string, KnownType>()

  /** Concurrent calls share a statement. */
  const load = batched(
    async (calls: readonly (readonly string[])[]) => {
      const names = new Set(calls.flat())
      const found = await findTypes(sql, names)
      for (const name of names) if (!found.has(name)) known.delete(name)
      for (const [name, { schema, revision }] of found) {
        if (known.get(name)?.revision === revision) continue
        known.set(name, { revision, check: await compileStored(schema) })
      }
      return new Array<void>(calls.length)
    },
    { maxSize: 500, parallel: 1 },
  )

  function pick(names: readonly string[]): KnownTypes {
    const types = names.map((name) => [name, known.get(name)] as const)
    return new Map(types.filter((entry): entry is [string, KnownType] => entry[1] !== undefined))
  }

  return {
    async find(names) {
      const unknown = names.filter((name) => !known.has(name))
      if (unknown.length > 0) await load(unknown)
      return pick(names)
    },

    async refresh(names) {
      await load(names)
      return pick(names)
    },

    async names() {
      const { rows } = await sql.query<{ name: string }>(
        'select name from posthorn.event_types where archived_at is null order by name collate "C"',
      )
      return rows.map((row) => row.name)
    },
  }
}

async function findTypes(
  sql: Sql,
  names: ReadonlySet<string>,
): Promise<ReadonlyMap<string, CatalogueEntry>> {
  const { rows } = await sql.query<CatalogueEntry>({
    name: 'find_event_types',
    text: `
      select name, schema, revision from posthorn.event_types
      where name = any ($1) and archived_at is null`,
    // Postgres rejects NUL in text.
    values: [[...names].filter((name) => !name.includes('\0'))],
  })
  return new Map(rows.map((row) => [row.name, row]))
}

/** An event type whose schema cannot be used is not published: the schema is older than this version, or written in SQL. */
async function compileStored(schema: object | null): Promise<CheckData> {
  if (!schema) return () => []
  try {
    return await compileSchema(schema)
  } catch (error) {
    return () => [`the schema cannot be used: ${(error as Error).message}`]
  }
}
