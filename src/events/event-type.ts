import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type { Sql } from '../db/client.ts'
import { boundedPattern, PatternTooSlow } from './bounded-pattern.ts'

/** Checks the `data` of an event against its type: what is wrong with it, or nothing. */
export type CheckData = (data: unknown) => string[]

interface CatalogueEntry {
  readonly name: string
  readonly schema: object | null
  readonly version: string
}

/**
 * The catalogue as publishing needs it: for each name that may be published, how to check its data. Schemas are
 * compiled once for each version of a type; which types there are is asked every time, so that a change acts at once.
 */
export interface Catalogue {
  find(names: readonly string[]): Promise<ReadonlyMap<string, CheckData>>
  names(): Promise<string[]>
}

export function createCatalogue(sql: Sql): Catalogue {
  const compiled = new Map<string, { version: string; check: CheckData }>()

  function checkFor({ name, schema, version }: CatalogueEntry): CheckData {
    const known = compiled.get(name)
    if (known?.version === version) return known.check
    const check = compileCheck(schema)
    compiled.set(name, { version, check })
    return check
  }

  return {
    async find(names) {
      const { rows } = await sql.query<CatalogueEntry>({
        name: 'find_event_types',
        text: `
          select name, schema, xmin::text as version from posthorn.event_types
          where name = any ($1) and archived_at is null`,
        // Postgres takes no NUL in a text, and no name has one.
        values: [[...new Set(names)].filter((name) => !name.includes('\0'))],
      })
      return new Map(rows.map((row) => [row.name, checkFor(row)]))
    },

    async names() {
      const { rows } = await sql.query<{ name: string }>(
        'select name from posthorn.event_types where archived_at is null order by name',
      )
      return rows.map((row) => row.name)
    },
  }
}

/** Throws what is wrong with a schema that is none. */
export function compileCheck(schema: object | null): CheckData {
  if (!schema) return () => []
  // `code` is what Ajv would write into a file, which it never does here.
  const regExp = Object.assign(boundedPattern, { code: '' })
  const ajv = new Ajv2020({ allErrors: true, strict: false, logger: false, code: { regExp } })
  addFormats.default(ajv)
  const validate: ValidateFunction = ajv.compile(schema)
  return (data) => {
    try {
      if (validate(data)) return []
    } catch (error) {
      if (error instanceof PatternTooSlow) return [error.message]
      throw error
    }
    return (validate.errors ?? []).map(({ instancePath, message }) =>
      `${instancePath || 'the whole'} ${message ?? 'is not valid'}`.trim(),
    )
  }
}
