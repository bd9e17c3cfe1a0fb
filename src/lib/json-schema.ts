import type { ErrorObject } from 'ajv'
import { dialectOf, findPlaces, type OwnSchema, standardSchema } from './standard-schema.ts'

/**
 * Checks data against a schema, and returns the problems, or null: undecided. A check counts its steps, so that the answer
 * does not depend on the speed of the machine.
 */
export type CheckData = (data: unknown) => string[] | null

/** Some 100 ms. Real data takes a few steps for each value. */
const MAX_STEPS = 1_000_000

class TooManySteps extends Error {}

/** Compiles a schema. Throws if the schema is invalid. The first call loads the compiler. */
export async function compileSchema(schema: object): Promise<CheckData> {
  compiler ??= loadCompiler()
  const { createAjv, rules } = await compiler
  const standard = standardSchema(structuredClone(schema) as OwnSchema)
  if (!rules.validateSchema(standard)) throw new Error(firstBrokenRule(rules.errors ?? undefined))
  let steps = 0
  const count = (weight: number, data: unknown): true => {
    steps += weight * sizeOf(data)
    if (steps > MAX_STEPS) throw new TooManySteps()
    return true
  }
  for (const { value } of findPlaces(standard).values()) {
    Object.assign(value, { [STEPS]: weightOf(value) })
  }
  const validate = createAjv(count).compile(standard)
  return (data) => {
    steps = 0
    try {
      if (validate(data)) return []
    } catch (error) {
      if (error instanceof TooManySteps) return null
      // The stack overflows for a schema that refers to itself without end.
      if (error instanceof RangeError) return ['the schema recurses without end on this data']
      throw error
    }
    return (validate.errors ?? []).map(({ instancePath, message }) =>
      `${instancePath || 'the value'} ${message ?? 'is not valid'}`.trim(),
    )
  }
}

/** Further problems follow from the first one. */
function firstBrokenRule(errors: readonly ErrorObject[] = []): string {
  const [error] = errors
  const values: unknown = error?.params['allowedValues']
  const listed = Array.isArray(values) ? `: ${values.join(', ')}` : ''
  return `${error?.instancePath} ${error?.message}${listed}`.trim()
}

/** In each schema of a schema, the keyword that counts. Its value is the steps for each member of a value. */
const STEPS = 'x-posthorn-steps'

function weightOf(schema: Readonly<Record<string, unknown>>): number {
  const { enum: values, patternProperties } = schema
  const ofEnum = Array.isArray(values) ? Math.ceil(values.length / 8) : 0
  return 1 + ofEnum + Object.keys(Object(patternProperties)).length
}

/** Of a value alone: its members count when they are visited. */
function sizeOf(data: unknown): number {
  if (typeof data === 'string') return 1 + (data.length >> 6)
  if (typeof data !== 'object' || data === null) return 1
  return 1 + (Array.isArray(data) ? data.length >> 3 : Object.keys(data).length)
}

/**
 * `rules` has the schema of schemas, which takes 12 ms to compile. Each schema has a validator of its own, which keeps no
 * other schema in memory.
 */
async function loadCompiler() {
  const [{ Ajv2020 }, { default: addFormats }, { linearPattern }] = await Promise.all([
    import('ajv/dist/2020.js'),
    import('ajv-formats'),
    import('./linear-pattern.ts'),
  ])
  // Ajv uses `code` only for standalone validation files.
  const regExp = Object.assign(linearPattern, { code: '' })
  const fixed = {
    allErrors: true,
    strict: false,
    logger: false,
    code: { regExp },
    // Digits after the point that a quotient may round: 19.99 is a multiple of 0.01.
    multipleOfPrecision: 6,
  } as const
  const rules = new Ajv2020(fixed)
  addFormats.default(rules)
  const createAjv = (count: (weight: number, data: unknown) => true) => {
    const ajv = new Ajv2020({ ...fixed, validateSchema: false, meta: false })
    addFormats.default(ajv)
    ajv.addKeyword({ keyword: STEPS, before: '$ref', validate: count, errors: false })
    ajv.removeKeyword('uniqueItems')
    ajv.addKeyword({
      keyword: 'uniqueItems',
      type: 'array',
      compile: (wanted: boolean) => (items: unknown[]) => !wanted || areUnique(items),
      error: { message: 'must have no duplicate items' },
    })
    return ajv
  }
  return { createAjv, rules }
}

let compiler: ReturnType<typeof loadCompiler> | undefined

function areUnique(items: readonly unknown[]): boolean {
  return new Set(items.map(canonicalJson)).size === items.length
}

/** The same text for equal values: the order of members counts for nothing. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, one) =>
    typeof one === 'object' && one !== null && !Array.isArray(one)
      ? Object.fromEntries(Object.entries(one).sort(([a], [b]) => (a < b ? -1 : 1)))
      : one,
  )
}

/** The largest schema, as JSON. */
const MAX_SCHEMA_BYTES = 512 * 1024

/** Compiles a JSON Schema of limited size, or returns its problem. References to other documents are a problem. */
export async function checkSchema(
  schema: object,
): Promise<{ check: CheckData; problem?: never } | { check?: never; problem: string }> {
  const bytes = Buffer.byteLength(JSON.stringify(schema))
  if (bytes > MAX_SCHEMA_BYTES) {
    return {
      problem: `must have at most 512 KiB (${MAX_SCHEMA_BYTES} bytes) as JSON, not ${bytes}.`,
    }
  }
  const places = findPlaces(schema as OwnSchema)
  for (const [pointer, { value }] of places) {
    const { $schema: dialect } = value
    if (typeof dialect !== 'string' || dialectOf(dialect) !== undefined) continue
    return {
      problem: `has the "$schema" ${JSON.stringify(dialect.slice(0, 128))}${at(pointer)}, which Posthorn does not read. Convert the schema to "https://json-schema.org/draft/2020-12/schema", or remove the line if it is one already.`,
    }
  }
  try {
    return { check: await compileSchema(schema) }
  } catch (error) {
    const { missingRef, message } = error as { missingRef?: string; message: string }
    if (missingRef === undefined) {
      return { problem: `cannot be used as a JSON Schema (2020-12): ${message}.` }
    }
    const [pointer] = [...places].find(([, { value }]) => value['$ref'] === missingRef) ?? ['']
    return {
      problem: `refers to ${JSON.stringify(missingRef.slice(0, 128))}${at(pointer)}, which it does not contain. Copy that schema into $defs and refer to "#/$defs/…".`,
    }
  }
}

const at = (pointer: string) => (pointer === '' ? '' : ` at ${pointer}`)
