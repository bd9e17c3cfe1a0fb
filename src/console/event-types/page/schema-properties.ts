import { t } from '../../language/t.ts'
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
  string: t('text'),
  number: t('number'),
  integer: t('whole number'),
  boolean: t('true or false'),
  null: 'null',
  object: t('object'),
  array: t('list'),
}

function typeOf(root: unknown, schema: Schema): string {
  const choices = [...listOf(schema['anyOf']), ...listOf(schema['oneOf'])]
  if (choices.length > 0) return joined(choices.map((each) => typeOf(root, resolve(root, each))))
  const types = [schema['type']].flat().filter((type) => typeof type === 'string')
  if (types.length > 0) return joined(types.map((type) => nameOf(root, schema, type)))
  if (schema['properties']) return t('object')
  return t('any')
}

function nameOf(root: unknown, schema: Schema, type: string): string {
  if (type !== 'array' || !schema['items']) return NAMES[type] ?? type
  return t('list of {type}', { type: typeOf(root, resolve(root, schema['items'])) })
}

const joined = (names: readonly string[]) => [...new Set(names)].join(t(' or '))

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
  if ('const' in schema) rules.push(t('always {value}', { value: JSON.stringify(schema['const']) }))
  const choices = listOf(schema['enum']).map((value) => JSON.stringify(value))
  if (choices.length > 0) rules.push(t('one of {list}', { list: choices.join(', ') }))
  return rules
}

const RULES = {
  minimum: (value: string) => t('at least {value}', { value }),
  maximum: (value: string) => t('at most {value}', { value }),
  exclusiveMinimum: (value: string) => t('more than {value}', { value }),
  exclusiveMaximum: (value: string) => t('less than {value}', { value }),
  minLength: (_: string, count: number) =>
    t('at least {count, plural, one {# character} other {# characters}}', { count }),
  maxLength: (_: string, count: number) =>
    t('at most {count, plural, one {# character} other {# characters}}', { count }),
  minItems: (_: string, count: number) =>
    t('at least {count, plural, one {# entry} other {# entries}}', { count }),
  maxItems: (_: string, count: number) =>
    t('at most {count, plural, one {# entry} other {# entries}}', { count }),
  pattern: (value: string) => t('matches {value}', { value }),
  format: (value: string) => t('format {value}', { value }),
}
