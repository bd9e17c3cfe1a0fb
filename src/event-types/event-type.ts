import { Ajv2020, type Format, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type { Sql } from '../db/client.ts'
import { batched } from '../lib/batch.ts'
import {
  boundedPattern,
  countSteps,
  NeedsBound,
  TookTooLong,
  withFewSteps,
  withinBound,
} from './bounded-pattern.ts'
import { isLinearSchema } from './linear-schema.ts'

/** Checks the `data` of an event against its type: what is wrong with it, or nothing. */
export type CheckData = (data: unknown) => string[]

interface CatalogueEntry {
  readonly name: string
  readonly schema: object | null
  readonly revision: string
}

/** Those that may be published, by their names. */
export type KnownTypes = ReadonlyMap<string, KnownType>

/** A type that may be published, as it was when it was asked for. */
export interface KnownType {
  readonly revision: string
  readonly check: CheckData
}

/**
 * The catalogue as publishing needs it, cached with the schemas compiled. It may have changed since: storing an event
 * names the revision that the event was checked against, and nothing is rejected before the cache is refreshed.
 */
export interface Catalogue {
  /** Asks Postgres for what is not remembered. */
  find(names: readonly string[]): Promise<KnownTypes>
  /** Asks Postgres for all of it. */
  refresh(names: readonly string[]): Promise<KnownTypes>
  names(): Promise<string[]>
}

export function createCatalogue(sql: Sql): Catalogue {
  const known = new Map<string, KnownType>()

  /** Calls that come soon after others asked are asked for together. */
  const ask = batched(
    async (questions: readonly (readonly string[])[]) => {
      const names = new Set(questions.flat())
      const found = await findTypes(sql, names)
      for (const name of names) if (!found.has(name)) known.delete(name)
      for (const [name, { schema, revision }] of found) {
        if (known.get(name)?.revision === revision) continue
        known.set(name, { revision, check: compileCheck(schema) })
      }
      return new Array<void>(questions.length)
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
      if (unknown.length > 0) await ask(unknown)
      return pick(names)
    },

    async refresh(names) {
      await ask(names)
      return pick(names)
    },

    async names() {
      const { rows } = await sql.query<{ name: string }>(
        'select name from posthorn.event_types where archived_at is null order by name',
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
    // Postgres takes no NUL in a text, and no name has one.
    values: [[...names].filter((name) => !name.includes('\0'))],
  })
  return new Map(rows.map((row) => [row.name, row]))
}

/** Throws what is wrong with a schema that is none. */
export function compileCheck(schema: object | null): CheckData {
  if (!schema) return () => []
  // `code` is what Ajv would write into a file, which it never does here.
  const regExp = Object.assign(boundedPattern, { code: '' })
  const ajv = new Ajv2020({ allErrors: true, strict: false, logger: false, code: { regExp } })
  addFormats.default(ajv)
  for (const [name, format] of Object.entries(ajv.formats)) boundFormat(ajv, name, format)
  const validate: ValidateFunction = ajv.compile(schema)
  const plain = isLinearSchema(schema)
  return (data) => {
    try {
      if (plain ? validateQuickly(validate, data) : withinBound(() => validate(data))) return []
    } catch (error) {
      if (error instanceof TookTooLong) return ['the schema takes too long on this data']
      // A schema that refers to itself without end.
      if (error instanceof RangeError) return ['the schema leads in a circle on this data']
      throw error
    }
    return (validate.errors ?? []).map(({ instancePath, message }) =>
      `${instancePath || 'the whole'} ${message ?? 'is not valid'}`.trim(),
    )
  }
}

function validateQuickly(validate: ValidateFunction, data: unknown): boolean {
  try {
    return withFewSteps(() => validate(data))
  } catch (error) {
    if (!(error instanceof NeedsBound)) throw error
    return withinBound(() => validate(data))
  }
}

/** Formats of texts are patterns, too. */
function boundFormat(ajv: Ajv2020, name: string, format: Format | undefined): void {
  const check = format instanceof RegExp ? (text: string) => format.test(text) : format
  if (typeof check !== 'function') return
  ajv.addFormat(name, (text: string) => {
    countSteps(text)
    return check(text) as boolean
  })
}
