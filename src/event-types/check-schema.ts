import { type CheckData, compileCheck } from './event-type.ts'

/** A schema as JSON. */
export const MAX_SCHEMA_BYTES = 64 * 1024

/** What is wrong with the JSON Schema of an event type, or how it checks data. Nothing is fetched for it. */
export function checkSchema(
  schema: object,
): { check: CheckData; problem?: never } | { check?: never; problem: string } {
  const bytes = Buffer.byteLength(JSON.stringify(schema))
  if (bytes > MAX_SCHEMA_BYTES) {
    return {
      problem: `must have at most 64 KiB (${MAX_SCHEMA_BYTES} bytes) as JSON, not ${bytes}.`,
    }
  }
  const problem = keywordProblem(schema)
  if (problem) return { problem }
  try {
    return { check: compileCheck(schema) }
  } catch (error) {
    return { problem: `is no JSON Schema (2020-12): ${(error as Error).message}.` }
  }
}

/** What compiles, but would fetch, or answer later than it is asked. */
function keywordProblem(schema: object): string | null {
  for (const [keyword, value] of entriesWithin(schema)) {
    if (keyword === '$async' && value === true) return 'must not use $async.'
    if ((keyword === '$ref' || keyword === '$dynamicRef') && typeof value === 'string') {
      if (!value.startsWith('#')) {
        return `refers to ${JSON.stringify(value.slice(0, 128))}, and nothing is fetched: put it under $defs and refer to it by "#/$defs/…".`
      }
    }
  }
  return null
}

/** Every key and value, at any depth. Not by recursion: what is nested deep must not overflow the stack. */
function* entriesWithin(root: object): Generator<[string, unknown]> {
  const todo: unknown[] = [root]
  for (let next = todo.pop(); next !== undefined; next = todo.pop()) {
    for (const [key, value] of Object.entries(next as object)) {
      yield [key, value]
      if (typeof value === 'object' && value !== null) todo.push(value)
    }
  }
}
