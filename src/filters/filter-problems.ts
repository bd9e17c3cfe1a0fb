import { isExactNumber, isSameNumber, printExactJson, toExactJson } from '../lib/exact-json.ts'
import { type PathStep, printPath } from '../lib/json-path.ts'
import {
  isSchema,
  JSON_TYPES,
  type JsonType,
  type SchemaAtPath,
  schemaAtPath,
} from '../lib/schema-path.ts'
import { standardSchema } from '../lib/standard-schema.ts'
import { type Filter, type Leaf, leavesOf, type Scalar } from './filter.ts'

/**
 * The conditions of a filter that no data can meet which is valid by the schema of an event type: a sentence each, such
 * as "`total` is a string in order.paid: greater never matches." What the schema leaves open is no problem.
 */
export function filterProblems(filter: Filter, schema: unknown, typeName: string): string[] {
  const standard = isSchema(schema) ? standardSchema(schema) : schema
  const problems = leavesOf(filter).map((leaf) => leafProblem(leaf, standard, typeName))
  return [...new Set(problems.filter((problem) => problem !== null))]
}

function leafProblem(leaf: Leaf, schema: unknown, typeName: string): string | null {
  const never = `${leaf.op} never matches.`
  const found = schemaAtPath(schema, leaf.path)
  const name = printName(leaf.path)
  if (found.path === 'impossible') {
    return `The schema of ${typeName} has no ${name}: ${never}`
  }
  const expected = expectedTypes(leaf)
  if (![...expected].some((type) => found.types.has(type))) {
    const hint = found.types.has('array')
      ? ` For its items, use the path ${itemsOf(leaf.path)}.`
      : ''
    return `${name} is ${listTypes(found.types)} in ${typeName}: ${never}${hint}`
  }
  if (leaf.op === 'has') return itemProblem(leaf.path, leaf.value, schema, typeName)
  if (leaf.op === 'equals' || leaf.op === 'in') {
    const values = leaf.op === 'in' ? leaf.value : [leaf.value]
    if (!values.some((value) => isPossible(value, found))) {
      return `${name} is ${listValues(found)} in ${typeName}: ${never}`
    }
  }
  return null
}

function itemProblem(
  path: readonly PathStep[],
  value: Scalar,
  schema: unknown,
  typeName: string,
): string | null {
  const items = schemaAtPath(schema, [...path, { eachItem: true }])
  if (isPossible(value, items)) return null
  const name = printName(path)
  if (items.path === 'impossible') return `${name} has no items in ${typeName}: has never matches.`
  return `Each item of ${name} is ${listValues(items)} in ${typeName}: has never matches.`
}

/** The types of values that can meet the condition. */
function expectedTypes(leaf: Leaf): Set<JsonType> {
  switch (leaf.op) {
    case 'exists':
    case 'changed':
      return new Set(JSON_TYPES)
    case 'has':
      return new Set(['array'])
    case 'in':
      return new Set(leaf.value.map(typeOf))
    case 'equals':
      return new Set([typeOf(leaf.value)])
    case 'startsWith':
    case 'contains':
      return new Set(['string'])
    default:
      return new Set(isExactNumber(leaf.value) ? ['integer', 'number'] : ['string'])
  }
}

function typeOf(value: Scalar): JsonType {
  if (value === null) return 'null'
  if (!isExactNumber(value)) return typeof value as 'boolean' | 'string'
  return Number.isInteger(Number(value.value)) ? 'integer' : 'number'
}

function isPossible(value: Scalar, { types, values }: SchemaAtPath): boolean {
  if (!types.has(typeOf(value))) return false
  return values === null || values.some((one) => isSame(one, value))
}

function isSame(listed: unknown, value: Scalar): boolean {
  if (!isExactNumber(value)) return listed === value
  const number = typeof listed === 'number' ? toExactJson(listed) : null
  return isExactNumber(number) && isSameNumber(number, value)
}

/** `$.order.total` → `order.total` in back-ticks. */
function printName(path: readonly PathStep[]): string {
  return `\`${printPath(path).replace(/^\$\./, '')}\``
}

function itemsOf(path: readonly PathStep[]): string {
  return printPath([...path, { eachItem: true }])
}

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
function listTypes(types: ReadonlySet<JsonType>): string {
  const named = JSON_TYPES.filter((type) => types.has(type))
  if (named.length === JSON_TYPES.length) return 'any value'
  const shown = named.filter((type) => !(type === 'integer' && types.has('number')))
  return inWords(shown.map((type) => NOUNS[type]))
}

const MAX_LISTED = 5

/** The values, or else the types: `"paid" or "open"`. */
function listValues({ types, values }: Pick<SchemaAtPath, 'types' | 'values'>): string {
  if (values === null) return listTypes(types)
  const shown = values.slice(0, MAX_LISTED).map((value) => printExactJson(toExactJson(value)))
  const more = values.length - shown.length
  return inWords(more > 0 ? [...shown, `${more} other values`] : shown)
}

function inWords(words: readonly string[]): string {
  const last = words.at(-1) ?? 'nothing'
  return words.length < 2 ? last : `${words.slice(0, -1).join(', ')} or ${last}`
}
