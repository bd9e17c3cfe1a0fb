import type { Sql } from '../db/client.ts'
import { batched } from '../lib/batch.ts'
import { type CheckData, compileSchema } from '../lib/json-schema.ts'
import { LruMap } from '../lib/lru-map.ts'

/** Event types that begin with it are those of operational events. Only Posthorn itself publishes them. */
export const OPERATIONAL_PREFIX = 'posthorn.'

/** The largest `data` of an event, as JSON. */
export const MAX_DATA_BYTES = 256 * 1024

/** Event types that can be published, by name. */
export type KnownTypes = ReadonlyMap<string, KnownType>

/** An event type that can be published, as of the last read. */
export interface KnownType {
  readonly revision: string
  /** Compiles the schema if it is not compiled. */
  readonly checker: () => CheckData | Promise<CheckData>
}

/**
 * A cache of event types with their compiled schemas. The cache can be outdated: storing an event verifies the revision
 * that the event was checked against, and no event is rejected before a refresh.
 */
export interface Catalogue {
  /** Reads event types that are not cached from Postgres. If all are cached, returns them at once. */
  find(names: readonly string[]): KnownTypes | Promise<KnownTypes>
  /** Reads all of the event types from Postgres. */
  refresh(names: readonly string[]): Promise<KnownTypes>
  names(): Promise<string[]>
}

/**
 * `maxBytes`: of the schemas and their compiled form. The least recently used ones are read and compiled again.
 */
export function createCatalogue(sql: Sql, maxBytes = Number.POSITIVE_INFINITY): Catalogue {
  const known = new LruMap<string, CachedType>({
    maxEntries: Number.POSITIVE_INFINITY,
    weight: { max: maxBytes, of: ({ bytes }) => bytes },
  })

  /** Concurrent calls share a statement. */
  const load = batched(
    async (calls: readonly (readonly string[])[]): Promise<KnownTypes[]> => {
      const names = new Set(calls.flat())
      const found = new Map<string, CachedType>()
      for (const row of await findTypes(sql, names)) {
        const cached = known.get(row.name)
        found.set(row.name, cached?.revision === row.revision ? cached : toType(row))
      }
      for (const name of names) {
        const type = found.get(name)
        if (type) known.set(name, type)
        else known.delete(name)
      }
      return calls.map((of) => new Map(of.flatMap((name) => entryOf(name, found.get(name)))))
    },
    { maxSize: 500, parallel: 1 },
  )

  return {
    find(names) {
      const found = new Map<string, KnownType>()
      const unknown: string[] = []
      for (const name of names) {
        const type = known.get(name)
        if (type) found.set(name, type)
        else unknown.push(name)
      }
      if (unknown.length === 0) return found
      return load(unknown).then((loaded) => new Map([...found, ...loaded]))
    },

    refresh: load,

    async names() {
      const { rows } = await sql.query<{ name: string }>(
        'select name from posthorn.event_types where archived_at is null order by name collate "C"',
      )
      return rows.map((row) => row.name)
    },
  }
}

interface TypeRow {
  readonly name: string
  readonly revision: string
  /** JSON. */
  readonly schema: string | null
}

interface CachedType extends KnownType {
  /** Those of the compiled schema count before it is compiled. */
  readonly bytes: number
}

/** The schema is compiled when it is used: a call may have a thousand types. */
function toType({ revision, schema }: TypeRow): CachedType {
  if (schema === null) return { revision, bytes: BYTES_OF_TYPE, checker: () => () => [] }
  let check: CheckData | Promise<CheckData> | undefined
  return {
    revision,
    bytes: BYTES_OF_TYPE + BYTES_OF_CHECK + schema.length * BYTES_PER_CHARACTER,
    checker() {
      check ??= compileStored(schema).then((compiled) => {
        check = compiled
        return compiled
      })
      return check
    },
  }
}

const BYTES_OF_TYPE = 1024

/** Measured: 37 KiB and 40 bytes for each character. */
const BYTES_OF_CHECK = 40 * 1024
const BYTES_PER_CHARACTER = 48

function entryOf<Value>(name: string, value: Value | undefined): [string, Value][] {
  return value === undefined ? [] : [[name, value]]
}

async function findTypes(sql: Sql, names: ReadonlySet<string>): Promise<TypeRow[]> {
  const { rows } = await sql.query<TypeRow>({
    name: 'find_event_types',
    text: `
      select name, schema::text, revision from posthorn.event_types
      where name = any ($1) and archived_at is null`,
    // Postgres rejects NUL in text.
    values: [[...names].filter((name) => !name.includes('\0'))],
  })
  return rows
}

/** An event type whose schema cannot be used is not published: the schema is older than this version, or written in SQL. */
async function compileStored(schema: string): Promise<CheckData> {
  try {
    return await compileSchema(JSON.parse(schema))
  } catch (error) {
    return () => [`the schema cannot be used: ${(error as Error).message}`]
  }
}
