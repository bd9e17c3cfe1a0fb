import type { PathStep } from './json-path.ts'

export const JSON_TYPES = [
  'null',
  'boolean',
  'integer',
  'number',
  'string',
  'array',
  'object',
] as const
/** `number` is a number that is no integer. */
export type JsonType = (typeof JSON_TYPES)[number]

/** What a JSON Schema says about the values that a path finds. */
export interface SchemaAtPath {
  /**
   * `impossible`: no valid data has the path. `named`: the schema names each step. `open`: the schema neither names the
   * path nor refuses it.
   */
  readonly path: 'impossible' | 'named' | 'open'
  /** The types that a value can have. A part that is not understood allows all. */
  readonly types: ReadonlySet<JsonType>
  /** The only values that are possible, if the schema lists them. */
  readonly values: readonly unknown[] | null
}

export type Schema = Readonly<Record<string, unknown>>

/** Schemas of which all hold for one value. */
export interface Place {
  readonly schemas: readonly Schema[]
  readonly isNamed: boolean
}

/** A path with more places is open: a tuple of tuples has as many as the product of their lengths. */
const MAX_PLACES = 64

/**
 * Follows a path through `properties`, `items`, `prefixItems`, local `$ref` and `allOf`. Other keywords can only narrow
 * the values further, so that what is impossible here is impossible.
 */
export function schemaAtPath(root: unknown, path: readonly PathStep[]): SchemaAtPath {
  let places = [placeOf(root, [root], true)].filter((place) => place !== null)
  for (const step of path) {
    places = places.flatMap((place) => follow(root, place, step))
    if (places.length > MAX_PLACES) {
      return { path: 'open', types: new Set(JSON_TYPES), values: null }
    }
  }
  const possible = places.filter(({ schemas }) => typesOf(schemas).size > 0)
  if (possible.length === 0) return { path: 'impossible', types: new Set(), values: null }
  const values = possible.map(({ schemas }) => valuesOf(schemas))
  return {
    path: possible.some(({ isNamed }) => isNamed) ? 'named' : 'open',
    types: new Set(possible.flatMap(({ schemas }) => [...typesOf(schemas)])),
    values: values.every((list) => list !== null) ? values.flat() : null,
  }
}

/** The places that a step leads to: none if no valid data has it. */
function follow(root: unknown, { schemas, isNamed }: Place, step: PathStep): Place[] {
  const isPossible = typesOf(schemas).has('name' in step ? 'object' : 'array')
  if (!isPossible) return []
  if ('name' in step) return [namedPlace(root, schemas, step.name, isNamed)].filter(isPlace)
  if ('index' in step) return [itemPlace(root, schemas, step.index, isNamed)].filter(isPlace)
  const longest = Math.max(0, ...schemas.map((schema) => listAt(schema, 'prefixItems').length))
  if (longest > MAX_PLACES) return [{ schemas: [], isNamed: false }]
  return Array.from({ length: longest + 1 }, (_, index) =>
    itemPlace(root, schemas, index, isNamed),
  ).filter(isPlace)
}

export function namedPlace(
  root: unknown,
  schemas: readonly Schema[],
  name: string,
  isNamed: boolean,
): Place | null {
  const parts = schemas.map((schema) => {
    const { properties, patternProperties, additionalProperties } = schema
    if (isSchema(properties) && Object.hasOwn(properties, name)) return [properties[name]]
    // Whether a pattern includes the name is not decided here.
    return patternProperties === undefined && additionalProperties !== undefined
      ? [additionalProperties]
      : []
  })
  const names = schemas.some(
    ({ properties }) => isSchema(properties) && Object.hasOwn(properties, name),
  )
  return placeOf(root, parts.flat(), isNamed && names)
}

function itemPlace(
  root: unknown,
  schemas: readonly Schema[],
  index: number,
  isNamed: boolean,
): Place | null {
  const parts = schemas.flatMap((schema) => {
    const first = listAt(schema, 'prefixItems')
    if (index < first.length) return [first[index]]
    return schema['items'] === undefined ? [] : [schema['items']]
  })
  return placeOf(root, parts, isNamed && parts.length > 0)
}

/** The schemas with those that they refer to. Null if one of them refuses every value. */
export function placeOf(root: unknown, parts: readonly unknown[], isNamed: boolean): Place | null {
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
  return { schemas: [...schemas], isNamed }
}

function isPlace(place: Place | null): place is Place {
  return place !== null
}

/** The schema at a JSON pointer in the document. Undefined for an anchor. */
export function referred(root: unknown, reference: string): unknown {
  if (reference === '#') return root
  if (!reference.startsWith('#/')) return undefined
  let value: unknown = root
  for (const part of reference.slice(2).split('/')) {
    const key = unescaped(part)
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
    value = (value as Schema)[key]
  }
  return value
}

function unescaped(part: string): string {
  const pointer = part.replaceAll('~1', '/').replaceAll('~0', '~')
  try {
    return decodeURIComponent(pointer)
  } catch {
    return pointer
  }
}

export function typesOf(schemas: readonly Schema[]): Set<JsonType> {
  const limits = schemas.flatMap((schema) => {
    const values = listedValues(schema)
    return [
      ...(schema['type'] === undefined ? [] : [namedTypes(schema['type'])]),
      ...(values === null ? [] : [new Set(values.map(jsonTypeOf))]),
    ]
  })
  return new Set(JSON_TYPES.filter((type) => limits.every((limit) => limit.has(type))))
}

function namedTypes(type: unknown): Set<JsonType> {
  const names = Array.isArray(type) ? type : [type]
  const types = JSON_TYPES.filter((one) => names.includes(one))
  return new Set(types.includes('number') ? [...types, 'integer'] : types)
}

export function jsonTypeOf(value: unknown): JsonType {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number'
  return typeof value as 'boolean' | 'string' | 'object'
}

/** The shortest list of values, which another list of the same value can only narrow. */
export function valuesOf(schemas: readonly Schema[]): readonly unknown[] | null {
  const lists = schemas.map(listedValues).filter((list) => list !== null)
  return lists.toSorted((a, b) => a.length - b.length)[0] ?? null
}

function listedValues({ const: only, enum: values }: Schema): readonly unknown[] | null {
  if (only !== undefined) return [only]
  return Array.isArray(values) ? values : null
}

export function listAt(schema: Schema, keyword: string): readonly unknown[] {
  const list = schema[keyword]
  return Array.isArray(list) ? list : []
}

export function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
