import {
  isSchema,
  listAt,
  type Schema,
  typesOf,
  valuesOf,
  withReferred,
} from '../../lib/schema-path.ts'
import { isSpelled } from './names.ts'

export type Kind = 'object' | 'array' | 'String' | 'Boolean' | 'Float' | 'Int'

/** What schemas of which all hold say about a value. Null: something else, or nothing. */
export function kindOf(schemas: readonly Schema[]): Kind | null {
  const types = typesOf(schemas)
  types.delete('null')
  if (types.has('number')) types.delete('integer')
  const isStated = schemas.some(({ type, ...rest }) => type !== undefined || isListed(rest))
  if (isStated && types.size !== 1) return null
  if (types.has('object') && propertiesOf(schemas).length > 0) return 'object'
  if (types.has('array') && (isStated || schemas.some((one) => one['items'] !== undefined))) {
    return 'array'
  }
  if (!isStated) return null
  if (types.has('string')) return 'String'
  if (types.has('boolean')) return 'Boolean'
  if (types.has('number')) return 'Float'
  if (types.has('integer')) return isInt(schemas) ? 'Int' : 'Float'
  return null
}

function isListed(schema: Schema): boolean {
  return schema['const'] !== undefined || Array.isArray(schema['enum'])
}

const MIN_INT = -(2 ** 31)
const MAX_INT = 2 ** 31 - 1

/** Whether the schemas keep an integer within the 32 bits of `Int`. */
function isInt(schemas: readonly Schema[]): boolean {
  const values = valuesOf(schemas)
  if (values !== null)
    return values.every((one) => Number(one) >= MIN_INT && Number(one) <= MAX_INT)
  const numbers = (keyword: string) =>
    schemas.map((schema) => schema[keyword]).filter((one) => typeof one === 'number')
  return (
    (numbers('minimum').some((one) => one >= MIN_INT) ||
      numbers('exclusiveMinimum').some((one) => one >= MIN_INT - 1)) &&
    (numbers('maximum').some((one) => one <= MAX_INT) ||
      numbers('exclusiveMaximum').some((one) => one <= MAX_INT + 1))
  )
}

const MAX_ENUM_VALUES = 200

/** The values of an enum. Null if the schemas list none, or one that GraphQL cannot spell. */
export function enumValues(schemas: readonly Schema[]): readonly string[] | null {
  const values = valuesOf(schemas)?.filter((value) => value !== null) ?? []
  const isEnum = values.length > 0 && values.length <= MAX_ENUM_VALUES && values.every(isEnumValue)
  return isEnum ? [...new Set(values)] : null
}

function isEnumValue(value: unknown): value is string {
  return typeof value === 'string' && isSpelled(value) && !['true', 'false', 'null'].includes(value)
}

/** A property that schemas name, with what they say about the property itself. */
export interface Property {
  readonly name: string
  readonly own: readonly unknown[]
}

/** In the order of the schemas. */
export function propertiesOf(schemas: readonly Schema[]): Property[] {
  const found = new Map<string, unknown[]>()
  for (const { properties } of schemas) {
    if (!isSchema(properties)) continue
    for (const [name, schema] of Object.entries(properties)) {
      const own = found.get(name)
      if (own) own.push(schema)
      else found.set(name, [schema])
    }
  }
  return [...found].map(([name, own]) => ({ name, own }))
}

const MAX_DESCRIPTION_LENGTH = 1_000

export function descriptionOf(schemas: readonly unknown[]): string | null {
  for (const keyword of ['description', 'title']) {
    for (const schema of schemas) {
      const text = isSchema(schema) ? schema[keyword] : undefined
      if (typeof text === 'string' && text.trim() !== '') {
        return text.trim().slice(0, MAX_DESCRIPTION_LENGTH).toWellFormed()
      }
    }
  }
  return null
}

/** The schemas that decide which members an object has. The others, such as a mere reference, make no other type. */
export function objectParts(schemas: readonly Schema[]): Schema[] {
  return schemas.filter(
    ({ properties, patternProperties, additionalProperties }) =>
      properties !== undefined ||
      patternProperties !== undefined ||
      additionalProperties !== undefined,
  )
}

/** The schema of the items of an array. Null for tuples, and if the schemas say nothing. */
export function itemSchemas(schemas: readonly Schema[]): readonly Schema[] | null {
  if (schemas.some((schema) => listAt(schema, 'prefixItems').length > 0)) return null
  const items = schemas.map((schema) => schema['items']).filter(isSchema)
  return items.length > 0 ? items : null
}

/** Keywords that say what a value is, and not only how it is narrowed. */
const TELLING = 'type properties items prefixItems const enum oneOf anyOf allOf $ref'.split(' ')

/**
 * The schemas that hold for a value, with the only choice of `oneOf` and `anyOf` that is not null and not impossible. A
 * list whose choices only narrow, such as by `required`, is left out. Null: the value is one of several.
 */
export function withOnlyChoices(
  root: unknown,
  schemas: readonly Schema[],
): readonly Schema[] | null {
  let joined = schemas
  const done = new Set<unknown>()
  // Each round ends a list; the number is bounded by the lists of the document.
  for (;;) {
    const list = joined.flatMap(listsOf).find((one) => !done.has(one))
    if (list === undefined) return joined
    done.add(list)
    if (!list.some(isTelling)) continue
    const [only, ...others] = possible(root, list)
    if (others.length > 0) return null
    if (only !== undefined) joined = withReferred(root, [...joined, only]) ?? joined
  }
}

function listsOf(schema: Schema): (readonly unknown[])[] {
  return [listAt(schema, 'oneOf'), listAt(schema, 'anyOf')].filter((list) => list.length > 0)
}

function possible(root: unknown, list: readonly unknown[]): unknown[] {
  return list.filter((choice) => {
    const schemas = withReferred(root, [choice])
    return schemas !== null && [...typesOf(schemas)].some((type) => type !== 'null')
  })
}

function isTelling(choice: unknown): boolean {
  return isSchema(choice) && TELLING.some((keyword) => choice[keyword] !== undefined)
}
