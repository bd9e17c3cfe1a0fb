const JSON_TYPES = ['null', 'boolean', 'number', 'string', 'array', 'object'] as const
type JsonType = (typeof JSON_TYPES)[number]

export type Schema = Readonly<Record<string, unknown>>

/** A property that schemas name, with the schemas that all hold for its values. */
export interface Property {
  readonly name: string
  readonly schemas: readonly Schema[]
}

/** In the order of the schemas, without the properties that a schema refuses. */
export function propertiesOf(root: unknown, schemas: readonly Schema[]): Property[] {
  const named = schemas.map(({ properties }) => properties).filter(isSchema)
  const names = new Set(named.flatMap(Object.keys))
  return [...names].flatMap((name) => {
    const parts = named.flatMap((properties) =>
      Object.hasOwn(properties, name) ? [properties[name]] : [],
    )
    const ofValue = withReferred(root, parts)
    return ofValue ? [{ name, schemas: ofValue }] : []
  })
}

/** The schemas with those that they refer to. Null if one of them refuses every value. */
export function withReferred(root: unknown, parts: readonly unknown[]): Schema[] | null {
  const schemas = new Set<Schema>()
  const todo = [...parts]
  // Grows meanwhile. The schemas keep the order of the document.
  for (const part of todo) {
    if (part === false) return null
    if (!isSchema(part) || schemas.has(part)) continue
    schemas.add(part)
    todo.push(...listAt(part, 'allOf'))
    if (typeof part['$ref'] === 'string') todo.push(referred(root, part['$ref']))
  }
  return [...schemas]
}

/** The schema that a reference such as `#/$defs/a` leads to. Undefined for an anchor, and for nothing. */
export function referred(root: unknown, reference: string): unknown {
  return /^#(\/|$)/.test(reference) ? atPointer(root, decoded(reference.slice(1))) : undefined
}

/** The value at a JSON pointer (RFC 6901). */
export function atPointer(root: unknown, pointer: string): unknown {
  const names = pointer.split('/').slice(1)
  return names.reduce((value, name) => {
    const key = name.replaceAll('~1', '/').replaceAll('~0', '~')
    return Object.hasOwn(Object(value), key) ? (value as Schema)[key] : undefined
  }, root)
}

/** A fragment without percent-encoding. One that is none stays as it is. */
export function decoded(fragment: string): string {
  try {
    return decodeURIComponent(fragment)
  } catch {
    return fragment
  }
}

/** The types that a value can have of which all schemas hold. */
export function typesOf(schemas: readonly Schema[]): Set<JsonType> {
  const limits = schemas.flatMap(({ type, const: only, enum: values }) => [
    ...(type === undefined ? [] : [[type].flat().map(numberType)]),
    ...(only === undefined ? [] : [[jsonTypeOf(only)]]),
    ...(Array.isArray(values) ? [values.map(jsonTypeOf)] : []),
  ])
  return new Set(JSON_TYPES.filter((type) => limits.every((limit) => limit.includes(type))))
}

const numberType = (type: unknown) => (type === 'integer' ? 'number' : type)

function jsonTypeOf(value: unknown): unknown {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}

export function listAt(schema: Schema, keyword: string): readonly unknown[] {
  const list = schema[keyword]
  return Array.isArray(list) ? list : []
}

export function isSchema(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
