import { counted } from '../../lib/format.ts'
import {
  listOf,
  objectOf,
  resolveSchema as resolve,
  type Schema,
  textOf,
} from '../../lib/json-schema.ts'

/** One property of a JSON Schema, as a table row. */
export interface SchemaProperty {
  /** `attendee.tickets[].id` */
  readonly path: string
  /** `text`, `list of number`, `object or null` */
  readonly type: string
  readonly required: boolean
  readonly description: string | null
  /** Further constraints: `at least 1`, `one of "a", "b"`. */
  readonly rules: readonly string[]
}

/** Bounds the recursion of a schema that refers to itself. */
const MAX_DEPTH = 6
const MAX_PROPERTIES = 300

/** The properties of a schema, each before its nested properties. Empty if the schema names none. */
export function schemaProperties(root: unknown): SchemaProperty[] {
  const found: SchemaProperty[] = []

  function visit(given: unknown, path: string, depth: number) {
    const schema = resolve(root, given)
    if (depth > MAX_DEPTH) return
    for (const part of [schema, ...listOf(schema['allOf']).map((each) => resolve(root, each))]) {
      const required = new Set(listOf(part['required']))
      for (const [name, value] of Object.entries(objectOf(part['properties']))) {
        if (found.length >= MAX_PROPERTIES) return
        const property = resolve(root, value)
        const at = path === '' ? name : `${path}.${name}`
        found.push({
          path: at,
          type: typeOf(root, property),
          required: required.has(name),
          description: textOf(property['description']) ?? textOf(property['title']),
          rules: rulesOf(property),
        })
        visit(property, at, depth + 1)
        if (property['items']) visit(property['items'], `${at}[]`, depth + 1)
      }
    }
  }

  visit(root, '', 0)
  return found
}

const NAMES: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'number',
  integer: 'whole number',
  boolean: 'true or false',
  null: 'null',
  object: 'object',
  array: 'list',
}

function typeOf(root: unknown, schema: Schema): string {
  const choices = [...listOf(schema['anyOf']), ...listOf(schema['oneOf'])]
  if (choices.length > 0) return joined(choices.map((each) => typeOf(root, resolve(root, each))))
  const types = [schema['type']].flat().filter((type) => typeof type === 'string')
  if (types.length > 0) return joined(types.map((type) => nameOf(root, schema, type)))
  if (schema['properties']) return 'object'
  return 'any'
}

function nameOf(root: unknown, schema: Schema, type: string): string {
  if (type !== 'array' || !schema['items']) return NAMES[type] ?? type
  return `list of ${typeOf(root, resolve(root, schema['items']))}`
}

const joined = (names: readonly string[]) => [...new Set(names)].join(' or ')

const BOUNDS = [
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'pattern',
  'format',
] as const

function rulesOf(schema: Schema): string[] {
  const rules = BOUNDS.flatMap((name) =>
    schema[name] === undefined ? [] : RULES[name](String(schema[name]), Number(schema[name])),
  )
  if ('const' in schema) rules.push(`always ${JSON.stringify(schema['const'])}`)
  const choices = listOf(schema['enum']).map((value) => JSON.stringify(value))
  if (choices.length > 0) rules.push(`one of ${choices.join(', ')}`)
  return rules
}

const RULES = {
  minimum: (value: string) => `at least ${value}`,
  maximum: (value: string) => `at most ${value}`,
  exclusiveMinimum: (value: string) => `more than ${value}`,
  exclusiveMaximum: (value: string) => `less than ${value}`,
  minLength: (_: string, count: number) => `at least ${counted(count, 'character', 'characters')}`,
  maxLength: (_: string, count: number) => `at most ${counted(count, 'character', 'characters')}`,
  minItems: (_: string, count: number) => `at least ${counted(count, 'entry', 'entries')}`,
  maxItems: (_: string, count: number) => `at most ${counted(count, 'entry', 'entries')}`,
  pattern: (value: string) => `matches ${value}`,
  format: (value: string) => `format ${value}`,
}
