import { Ajv2020, type Format, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type { Sql } from '../db/client.ts'
import { batched } from '../lib/batch.ts'
import {
  boundedPattern,
  countSteps,
  NeedsTimeout,
  TimedOut,
  withStepLimit,
  withTimeout,
} from './bounded-pattern.ts'
import { isLinearSchema } from './linear-schema.ts'

/** The largest `data` of an event, as JSON. */
export const MAX_DATA_BYTES = 256 * 1024

/** Checks the `data` of an event against its type, and returns the problems. */
export type CheckData = (data: unknown) => string[]

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
        known.set(name, { revision, check: compileCheck(schema) })
      }
      return new Array<void>(calls.length)
    },
    { gatherMs: 0, maxSize: 500, parallel: 1 },
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

/** Compiles a schema. Throws if the schema is invalid. */
export function compileCheck(schema: object | null): CheckData {
  if (!schema) return () => []
  // Ajv uses `code` only for standalone validation files.
  const regExp = Object.assign(boundedPattern, { code: '' })
  const ajv = new Ajv2020({ allErrors: true, strict: false, logger: false, code: { regExp } })
  addFormats.default(ajv)
  for (const [name, format] of Object.entries(ajv.formats)) boundFormat(ajv, name, format)
  const validate: ValidateFunction = ajv.compile(schema)
  const isLinear = isLinearSchema(schema)
  return (data) => {
    try {
      if (isLinear ? validateLinear(validate, data) : withTimeout(() => validate(data))) return []
    } catch (error) {
      if (error instanceof TimedOut) return ['the schema takes too long on this data']
      // The stack overflows for a schema that refers to itself without end.
      if (error instanceof RangeError) return ['the schema recurses without end on this data']
      throw error
    }
    return (validate.errors ?? []).map(({ instancePath, message }) =>
      `${instancePath || 'the value'} ${message ?? 'is not valid'}`.trim(),
    )
  }
}

function validateLinear(validate: ValidateFunction, data: unknown): boolean {
  try {
    return withStepLimit(() => validate(data))
  } catch (error) {
    if (!(error instanceof NeedsTimeout)) throw error
    return withTimeout(() => validate(data))
  }
}

/** Formats use regular expressions too, so their steps count. */
function boundFormat(ajv: Ajv2020, name: string, format: Format | undefined): void {
  const check = format instanceof RegExp ? (text: string) => format.test(text) : format
  if (typeof check !== 'function') return
  ajv.addFormat(name, (text: string) => {
    countSteps(text)
    return check(text) as boolean
  })
}
