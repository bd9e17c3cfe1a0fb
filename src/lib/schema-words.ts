import { printExactJson, toExactJson } from './exact-json.ts'
import { JSON_TYPES, type JsonType, type SchemaAtPath } from './schema-path.ts'

const NOUNS: Readonly<Record<JsonType, string>> = {
  null: 'null',
  boolean: 'a boolean',
  integer: 'an integer',
  number: 'a number',
  string: 'a string',
  array: 'an array',
  object: 'an object',
}

/** `a number or null` */
export function listTypes(types: ReadonlySet<JsonType>): string {
  const named = JSON_TYPES.filter((type) => types.has(type))
  if (named.length === JSON_TYPES.length) return 'any value'
  const shown = named.filter((type) => !(type === 'integer' && types.has('number')))
  return inWords(shown.map((type) => NOUNS[type]))
}

const MAX_LISTED = 5

/** The values, or else the types: `"paid" or "open"`. */
export function listValues({ types, values }: Pick<SchemaAtPath, 'types' | 'values'>): string {
  if (values === null) return listTypes(types)
  const shown = values.slice(0, MAX_LISTED).map((value) => printExactJson(toExactJson(value)))
  const more = values.length - shown.length
  return inWords(more > 0 ? [...shown, `${more} other values`] : shown)
}

function inWords(words: readonly string[]): string {
  const last = words.at(-1) ?? 'nothing'
  return words.length < 2 ? last : `${words.slice(0, -1).join(', ')} or ${last}`
}
