/** One field that a JSON Schema names. */
interface SchemaField {
  /** `attendee.tickets[].id` */
  readonly path: string
  /** `string`, `list of integer`, `object or null` */
  readonly type: string
  readonly required: boolean
  readonly description: string
  /** Further constraints: `at least 1`, `one of "a", "b"`. */
  readonly rules: readonly string[]
}

type Schema = Readonly<Record<string, unknown>>

/** They bound the recursion of a schema that refers to itself. */
const MAX_DEPTH = 6
const MAX_FIELDS = 300
const MAX_CHOICES = 20

/** The fields of a schema, each before the fields in it. Empty if the schema names none. */
export function schemaFields(root: unknown): SchemaField[] {
  const found: SchemaField[] = []

  function visit(given: unknown, path: string, depth: number): void {
    const schema = resolve(root, given)
    if (depth > MAX_DEPTH) return
    if (schema['items']) visit(schema['items'], `${path}[]`, depth + 1)
    for (const part of [schema, ...listOf(schema['allOf']).map((one) => resolve(root, one))]) {
      const required = listOf(part['required'])
      for (const [name, value] of Object.entries(objectOf(part['properties']))) {
        if (found.length >= MAX_FIELDS) return
        const field = resolve(root, value)
        const at = path === '' ? name : `${path}.${name}`
        found.push({
          path: at,
          type: typeOf(root, field, 0),
          required: required.includes(name),
          description: textOf(field['description']) ?? textOf(field['title']) ?? '',
          rules: rulesOf(field),
        })
        visit(field, at, depth + 1)
      }
    }
  }

  visit(root, '', 0)
  return found
}

function typeOf(root: unknown, schema: Schema, depth: number): string {
  if (depth > MAX_DEPTH) return 'any'
  const choices = [...listOf(schema['anyOf']), ...listOf(schema['oneOf'])].slice(0, MAX_CHOICES)
  if (choices.length > 0) {
    return joined(choices.map((one) => typeOf(root, resolve(root, one), depth + 1)))
  }
  const types = [schema['type']].flat().filter((type) => typeof type === 'string')
  if (types.length > 0) {
    return joined(
      types.map((type) => {
        if (type !== 'array') return type
        if (!schema['items']) return 'list'
        return `list of ${typeOf(root, resolve(root, schema['items']), depth + 1)}`
      }),
    )
  }
  if (schema['properties']) return 'object'
  const values = 'const' in schema ? [schema['const']] : listOf(schema['enum'])
  return values.length > 0 ? joined(values.map(typeOfValue)) : 'any'
}

function typeOfValue(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'list' : typeof value
}

const joined = (names: readonly string[]) => [...new Set(names)].join(' or ')

function rulesOf(schema: Schema): string[] {
  const rules = Object.entries(RULES).flatMap(([name, rule]) =>
    schema[name] === undefined ? [] : [rule(String(schema[name]))],
  )
  if ('const' in schema) rules.push(`always ${JSON.stringify(schema['const'])}`)
  const choices = listOf(schema['enum'])
  const shown = choices.slice(0, MAX_CHOICES).map((value) => JSON.stringify(value))
  if (choices.length > MAX_CHOICES) shown.push('…')
  if (shown.length > 0) rules.push(`one of ${shown.join(', ')}`)
  return rules
}

const RULES: Readonly<Record<string, (value: string) => string>> = {
  format: (value) => `format ${value}`,
  minimum: (value) => `at least ${value}`,
  exclusiveMinimum: (value) => `more than ${value}`,
  maximum: (value) => `at most ${value}`,
  exclusiveMaximum: (value) => `less than ${value}`,
  minLength: (value) => `at least ${value} ${value === '1' ? 'character' : 'characters'}`,
  maxLength: (value) => `at most ${value} ${value === '1' ? 'character' : 'characters'}`,
  minItems: (value) => `at least ${value} ${value === '1' ? 'entry' : 'entries'}`,
  maxItems: (value) => `at most ${value} ${value === '1' ? 'entry' : 'entries'}`,
  pattern: (value) => `matches ${value}`,
}

/** Resolves references in the same schema, such as `#/$defs/ticket`. */
function resolve(root: unknown, given: unknown, depth = 0): Schema {
  const schema = objectOf(given)
  const reference = textOf(schema['$ref'])
  if (depth > MAX_DEPTH || (reference !== '#' && !reference?.startsWith('#/'))) return schema
  let found: unknown = root
  for (const step of reference.split('/').slice(1)) {
    found = Object.getOwnPropertyDescriptor(Object(found), nameOf(step))?.value
  }
  return { ...resolve(root, found, depth + 1), ...schema }
}

/** Of a step of a JSON Pointer in a URL (RFC 6901). */
function nameOf(step: string): string {
  return decoded(step).replaceAll('~1', '/').replaceAll('~0', '~')
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function objectOf(value: unknown): Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Schema)
    : {}
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null)
