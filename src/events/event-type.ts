import { Ajv2020, type Format, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { batched } from '../batch.ts'
import type { Sql } from '../db/client.ts'
import {
  boundedPattern,
  countSteps,
  NeedsBound,
  TookTooLong,
  withFewSteps,
  withinBound,
} from './bounded-pattern.ts'
import { isPlainSchema } from './plain-schema.ts'

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
 * Calls that come while a question is under way share the next one.
 */
export interface Catalogue {
  /** Answers with more than what was asked for, at times. */
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

  async function findTogether(
    questions: readonly (readonly string[])[],
  ): Promise<ReadonlyMap<string, CheckData>[]> {
    const { rows } = await sql.query<CatalogueEntry>({
      name: 'find_event_types',
      text: `
        select name, schema, xmin::text as version from posthorn.event_types
        where name = any ($1) and archived_at is null`,
      // Postgres takes no NUL in a text, and no name has one.
      values: [[...new Set(questions.flat())].filter((name) => !name.includes('\0'))],
    })
    const found = new Map(rows.map((row) => [row.name, checkFor(row)]))
    return questions.map(() => found)
  }

  return {
    find: batched(findTogether, { gatherMs: 10, maxSize: 500, whenIdle: true }),

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
  for (const [name, format] of Object.entries(ajv.formats)) boundFormat(ajv, name, format)
  const validate: ValidateFunction = ajv.compile(schema)
  const plain = isPlainSchema(schema)
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
