import { listOf, objectOf, resolveSchema } from '../../lib/json-schema.ts'
import type { ValueKind } from './operators.ts'

/** A field of the data that a condition can name. */
export interface SuggestedField {
  readonly path: string
  readonly kinds: ReadonlySet<ValueKind | 'array'>
  /** Values that the schema lists or the example has, as text. */
  readonly choices: ReadonlySet<string>
}

interface Sample {
  readonly schema?: unknown
  readonly example?: unknown
}

/** Bounds a schema that refers to itself, and the list. */
const MAX_DEPTH = 6
const MAX_FIELDS = 300
const MAX_ITEMS = 5

const SIMPLE_NAME = /^[\p{L}_][\p{L}\p{N}_]*$/u
const QUOTABLE_NAME = /^[^'"\\[\]\p{Cc}]+$/u
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}/i

/** The fields that examples and schemas of event types show, by their paths, in their order. */
export function suggestFields(types: readonly Sample[]): SuggestedField[] {
  const found = new Map<string, { kinds: Set<ValueKind | 'array'>; choices: Set<string> }>()

  function note(path: string, kind: ValueKind | 'array', choice?: unknown) {
    const field = found.get(path) ?? { kinds: new Set(), choices: new Set() }
    if (!found.has(path) && found.size >= MAX_FIELDS) return
    found.set(path, field)
    field.kinds.add(kind)
    if (typeof choice === 'string' || typeof choice === 'number') field.choices.add(String(choice))
  }

  function visitSchema(root: unknown, given: unknown, path: string, depth: number) {
    const schema = resolveSchema(root, given)
    if (depth > MAX_DEPTH) return
    for (const name of ['allOf', 'anyOf', 'oneOf']) {
      for (const part of listOf(schema[name])) visitSchema(root, part, path, depth + 1)
    }
    const choices = 'const' in schema ? [schema['const']] : listOf(schema['enum'])
    for (const choice of choices) note(path, kindOf(choice) ?? 'text', choice)
    const isTime = schema['format'] === 'date-time'
    for (const type of [schema['type']].flat()) {
      const kind = isTime && type === 'string' ? 'time' : KINDS[String(type)]
      if (kind) note(path, kind)
    }
    for (const [name, property] of Object.entries(objectOf(schema['properties']))) {
      const at = below(path, name)
      if (at !== null) visitSchema(root, property, at, depth + 1)
    }
    if (schema['items']) visitSchema(root, schema['items'], `${path}[*]`, depth + 1)
  }

  function visitExample(value: unknown, path: string, depth: number) {
    if (depth > MAX_DEPTH) return
    if (Array.isArray(value)) {
      note(path, 'array')
      for (const item of value.slice(0, MAX_ITEMS)) visitExample(item, `${path}[*]`, depth + 1)
      return
    }
    const kind = kindOf(value)
    if (kind !== null && path !== '$') note(path, kind, value)
    for (const [name, property] of Object.entries(objectOf(value))) {
      const at = below(path, name)
      if (at !== null) visitExample(property, at, depth + 1)
    }
  }

  for (const { schema, example } of types) {
    visitSchema(schema, schema, '$', 0)
    visitExample(example, '$', 0)
  }
  return [...found].map(([path, field]) => ({ path, ...field }))
}

/** The kinds of the types of JSON Schema. */
const KINDS: Readonly<Record<string, ValueKind | 'array'>> = {
  string: 'text',
  number: 'number',
  integer: 'number',
  boolean: 'boolean',
  null: 'null',
  array: 'array',
}

/** Null for an object. */
function kindOf(value: unknown): ValueKind | null {
  if (typeof value === 'string') return TIME.test(value) ? 'time' : 'text'
  if (typeof value === 'number') return 'number'
  if (typeof value === 'boolean') return 'boolean'
  return value === null ? 'null' : null
}

/** Null for a name that no path can have. */
function below(path: string, name: string): string | null {
  if (SIMPLE_NAME.test(name)) return `${path}.${name}`
  return QUOTABLE_NAME.test(name) ? `${path}['${name}']` : null
}
