import { type CheckData, compileCheck } from './event-type.ts'

/** The largest schema, as JSON. */
const MAX_SCHEMA_BYTES = 64 * 1024

/** Compiles the JSON Schema of an event type, or returns its problem. Remote references are a problem. */
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
