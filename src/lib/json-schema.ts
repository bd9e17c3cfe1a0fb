import { TimedOut, withTimeLimit } from './time-limit.ts'

/** Checks block the event loop. A pattern or format takes linear time, but some take long on large data. */
const LARGE_LENGTH = 4 * 1024
const LARGE_LIMIT_MS = 200

/** Keywords that can visit a part of the data many times, so that even small data can take hours. */
const REPEATING_LIMIT_MS = 30
const REPEATING = /"(\$ref|\$dynamicRef|allOf|anyOf|oneOf|uniqueItems)":/

/** The problem of data that is not checked to its end. */
export const TOO_SLOW = 'the schema takes too long on this data'

/** Checks data, which is also given as JSON, against a schema, and returns the problems. */
export type CheckData = (data: unknown, json: string) => string[]

/** Compiles a schema. Throws if the schema is invalid. The first call loads the compiler. */
export async function compileSchema(schema: object): Promise<CheckData> {
  const { createAjv, rules } = await compiler()
  rules.validateSchema(schema, true)
  const validate = createAjv({ validateSchema: false, meta: false }).compile(schema)
  const limitMs = REPEATING.test(JSON.stringify(schema)) ? REPEATING_LIMIT_MS : LARGE_LIMIT_MS
  return (data, json) => {
    const isQuick = limitMs === LARGE_LIMIT_MS && json.length < LARGE_LENGTH
    try {
      if (isQuick ? validate(data) : withTimeLimit(limitMs, () => validate(data))) return []
    } catch (error) {
      if (error instanceof TimedOut) return [TOO_SLOW]
      // The stack overflows for a schema that refers to itself without end.
      if (error instanceof RangeError) return ['the schema recurses without end on this data']
      throw error
    }
    return (validate.errors ?? []).map(({ instancePath, message }) =>
      `${instancePath || 'the value'} ${message ?? 'is not valid'}`.trim(),
    )
  }
}

/**
 * `rules` has the schema of schemas, which takes 12 ms to compile. Each schema has a validator of its own, which keeps no
 * other schema in memory.
 */
const compiler = once(async () => {
  const [{ Ajv2020 }, { default: addFormats }, { linearPattern }] = await Promise.all([
    import('ajv/dist/2020.js'),
    import('ajv-formats'),
    import('./linear-pattern.ts'),
  ])
  // Ajv uses `code` only for standalone validation files.
  const regExp = Object.assign(linearPattern, { code: '' })
  const createAjv = (
    options: { readonly validateSchema?: boolean; readonly meta?: boolean } = {},
  ) => {
    const fixed = { allErrors: true, strict: false, logger: false, code: { regExp } } as const
    const ajv = new Ajv2020({ ...fixed, ...options })
    addFormats.default(ajv)
    return ajv
  }
  return { createAjv, rules: createAjv() }
})

function once<T>(create: () => Promise<T>): () => Promise<T> {
  let created: Promise<T> | undefined
  return () => (created ??= create())
}

/** The largest schema, as JSON. */
const MAX_SCHEMA_BYTES = 64 * 1024

/** Compiles a JSON Schema (2020-12) of limited size, or returns its problem. Remote references are a problem. */
export async function checkSchema(
  schema: object,
): Promise<{ check: CheckData; problem?: never } | { check?: never; problem: string }> {
  const bytes = Buffer.byteLength(JSON.stringify(schema))
  if (bytes > MAX_SCHEMA_BYTES) {
    return {
      problem: `must have at most 64 KiB (${MAX_SCHEMA_BYTES} bytes) as JSON, not ${bytes}.`,
    }
  }
  const problem = keywordProblem(schema)
  if (problem) return { problem }
  try {
    return { check: await compileSchema(schema) }
  } catch (error) {
    return { problem: `cannot be used as a JSON Schema (2020-12): ${(error as Error).message}.` }
  }
}

/** Keywords that Ajv compiles, but that need a remote document or asynchronous validation. */
function keywordProblem(schema: object): string | null {
  for (const [keyword, value] of entriesWithin(schema)) {
    if (keyword === '$async' && value === true) return 'must not use $async.'
    if ((keyword === '$ref' || keyword === '$dynamicRef') && typeof value === 'string') {
      if (!value.startsWith('#')) {
        return `refers to ${JSON.stringify(value.slice(0, 128))}, but remote schemas are not loaded. Copy it into $defs and refer to "#/$defs/…".`
      }
    }
  }
  return null
}

/** Every key and value at any depth. Not recursive, because deep nesting would overflow the stack. */
function* entriesWithin(root: object): Generator<[string, unknown]> {
  const todo: unknown[] = [root]
  for (let next = todo.pop(); next !== undefined; next = todo.pop()) {
    for (const [key, value] of Object.entries(next as object)) {
      yield [key, value]
      if (typeof value === 'object' && value !== null) todo.push(value)
    }
  }
}
