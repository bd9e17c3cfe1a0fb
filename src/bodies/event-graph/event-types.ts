import {
  GraphQLBoolean,
  type GraphQLField,
  type GraphQLFieldConfig,
  GraphQLFloat,
  type GraphQLInterfaceType,
  GraphQLList,
  type GraphQLNamedOutputType,
  type GraphQLNamedType,
  GraphQLObjectType,
  type GraphQLOutputType,
  GraphQLScalarType,
  GraphQLString,
  isObjectType,
} from 'graphql'
import { pascalCase } from '../../lib/pascal-case.ts'
import {
  isSchema,
  listAt,
  type Property,
  propertiesOf,
  type Schema,
  typesOf,
  withReferred,
} from '../../lib/schema-path.ts'
import { standardSchema } from '../../lib/standard-schema.ts'
import { EVENT_FIELDS, fieldNames, firstFree, MAX_NAME_LENGTH } from './names.ts'

/** An event type as the event graph needs it. */
export interface SourceType {
  readonly name: string
  readonly description: string
  /** The text of the JSON Schema. Null: any JSON is valid. */
  readonly schema: string | null
}

/** Numbers are as they were published, with their digits. */
const asPublished = <Value>(value: Value) => value
const open = { serialize: asPublished, coerceOutputValue: asPublished }

const SCALARS = {
  string: GraphQLString,
  boolean: GraphQLBoolean,
  number: new GraphQLScalarType({ ...GraphQLFloat.toConfig(), ...open }),
} as const

type Fields = Record<string, GraphQLFieldConfig<unknown, unknown>>

/** What an event is that has no type in the graph. */
export const OTHER_EVENT = 'OtherEvent'

export function createOtherEvent(event: GraphQLInterfaceType): GraphQLObjectType {
  return completeFields(
    new GraphQLObjectType({
      name: OTHER_EVENT,
      description:
        'An event whose type was archived, or was added to the catalogue after the stream began.',
      interfaces: [event],
      fields: event.toConfig().fields,
    }),
  )
}

/* Which member of the data a field is, and which event type a type is: extensions of the schema, which plans are made from. */
const SOURCE = 'posthornSource'

/** Without an extension, the member has the name of the field. */
export function memberOf({ name, extensions }: GraphQLField<unknown, unknown>): string {
  return (extensions[SOURCE] as string | undefined) ?? name
}

/** The name of the event type whose events have an object type. Undefined for `OtherEvent`, and for what is in an event. */
export function eventTypeOf({ extensions }: GraphQLNamedType): string | undefined {
  return extensions[SOURCE] as string | undefined
}

/** What is nested deeper is JSON. */
const MAX_LEVELS = 16
/** Of one event type. What is beyond is JSON, or has no field. */
const MAX_TYPES = 300
const MAX_FIELDS = 2_000

/** A value: the schemas that hold for it, the name that its type would have, and how deep in `data` it is. */
interface Spot {
  readonly schemas: readonly Schema[]
  readonly typeName: string
  readonly level: number
}

/** The object type of an event type. Its nested types depend on nothing but the schema and `typeName`. */
export function createEventType(
  source: SourceType,
  typeName: string,
  event: GraphQLInterfaceType,
): GraphQLObjectType {
  const root = source.schema === null ? null : standardSchema(JSON.parse(source.schema))
  const json = event.getFields()['data']?.type as GraphQLNamedOutputType
  const taken = new Set([typeName])
  /** Equal schemas have one type: the keys are the numbers of the schemas. */
  const types = new Map<string, GraphQLObjectType>()
  const numbers = new Map<Schema, number>()
  let fieldsLeft = MAX_FIELDS

  const schemas = withReferred(root, [root]) ?? []
  const whole = typeOf({ schemas, typeName: `${typeName}_Data`, level: 0 })
  const data = isObjectType(whole) ? whole : json
  // The fields of a type add further types, so each type is as near to the event as it can be.
  for (const one of types.values()) completeFields(one)
  const type = new GraphQLObjectType({
    name: typeName,
    description: source.description,
    interfaces: [event],
    extensions: { [SOURCE]: source.name },
    fields: () => ({
      ...event.toConfig().fields,
      previous: {
        type: data,
        description: 'The data before the change. Null if the publisher did not give them.',
      },
      ...(isObjectType(data) && data.toConfig().fields),
    }),
  })
  return completeFields(type)

  function typeOf(spot: Spot): GraphQLOutputType {
    const schemas = spot.level > MAX_LEVELS ? null : withOnlyChoices(root, spot.schemas)
    const type = schemas && typeOfValue(schemas)
    if (schemas === null || type === null) return json
    const named = { ...spot, schemas, typeName: nameByReference(spot) ?? spot.typeName }
    if (type === 'object') return objectType(named)
    return type === 'array' ? listType(named) : SCALARS[type]
  }

  function objectType({ schemas, typeName: path, level }: Spot): GraphQLNamedOutputType {
    const parts = schemas.filter(({ properties }) => properties !== undefined)
    for (const part of parts) if (!numbers.has(part)) numbers.set(part, numbers.size)
    const key = parts.map((part) => numbers.get(part)).join()
    const known = types.get(key)
    if (known) return known
    const properties = propertiesOf(root, parts)
      .filter(({ name }) => name.length <= MAX_NAME_LENGTH)
      .slice(0, fieldsLeft)
    if (properties.length === 0 || types.size > MAX_TYPES) return json
    fieldsLeft -= properties.length
    const name = firstFree(path, taken)
    taken.add(name)
    const ofData = level === 0 ? `The data of \`${source.name}\`.` : null
    const type = new GraphQLObjectType({
      name,
      description: ofData ?? descriptionOf(parts),
      fields: () => fieldsOf(properties, ofData ? typeName : name, level),
    })
    types.set(key, type)
    return type
  }

  function fieldsOf(properties: readonly Property[], parentName: string, level: number): Fields {
    const named = properties.map(({ name }) => name)
    const names = fieldNames(named, level === 0 ? EVENT_FIELDS : [])
    return Object.fromEntries(
      properties.map(({ name: property, schemas }) => {
        const name = names.get(property) ?? property
        const nested = `${parentName}_${pascalCase(property) || 'Field'}`
        const isDeprecated = schemas.some(({ deprecated }) => deprecated === true)
        const field = {
          type: typeOf({ schemas, typeName: nested, level: level + 1 }),
          description: descriptionOf(schemas),
          ...(isDeprecated && { deprecationReason: 'The schema marks it as deprecated.' }),
          ...(property !== name && { extensions: { [SOURCE]: property } }),
        }
        return [name, field]
      }),
    )
  }

  function listType({ schemas, typeName, level }: Spot): GraphQLOutputType {
    const isTuple = schemas.some((schema) => listAt(schema, 'prefixItems').length > 0)
    const items = schemas.map((schema) => schema['items'])
    const ofItem = isTuple ? null : withReferred(root, items)
    return new GraphQLList(ofItem ? typeOf({ schemas: ofItem, typeName, level: level + 1 }) : json)
  }

  /** `#/$defs/address` → `OrderPaid_Address`. */
  function nameByReference({ schemas: [own], level }: Spot): string | null {
    const { $ref: reference } = own ?? {}
    if (typeof reference !== 'string' || level === 0) return null
    const step = pascalCase(reference.split('/').at(-1) ?? '')
    return step !== '' && step.length <= MAX_NAME_LENGTH ? `${typeName}_${step}` : null
  }
}

/** `selectEvent` has taken the fields of the response. graphql-js gives each field an object of extensions, of 220 bytes. */
function completeFields(type: GraphQLObjectType): GraphQLObjectType {
  for (const field of Object.values(type.getFields())) {
    field.resolve = (taken, _args, _context, { path }) => taken[path.key]
    if (Object.keys(field.extensions).length === 0) field.extensions = NO_EXTENSIONS
  }
  return type
}

const NO_EXTENSIONS = Object.freeze({})

/** The types of a value that no schema limits, without null. */
const ALL_TYPES = typesOf([]).size - 1

/** What schemas of which all hold say about a value that is not null. Null: one of several types, or nothing. */
function typeOfValue(schemas: readonly Schema[]) {
  const types = [...typesOf(schemas)].filter((type) => type !== 'null')
  if (types.length <= 1) return types[0] ?? null
  if (types.length < ALL_TYPES) return null
  if (schemas.some(({ properties }) => properties !== undefined)) return 'object'
  return schemas.some(({ items }) => items !== undefined) ? 'array' : null
}

const MAX_DESCRIPTION_LENGTH = 1_000

function descriptionOf(schemas: readonly Schema[]): string | null {
  const texts = ['description', 'title'].flatMap((keyword) => schemas.map((one) => one[keyword]))
  const text = texts.find((one) => typeof one === 'string' && one.trim() !== '')?.toString()
  return text?.trim().slice(0, MAX_DESCRIPTION_LENGTH).toWellFormed() ?? null
}

/** Keywords that say what a value is, and not only how it is narrowed. */
const TELLING = 'type properties items prefixItems const enum oneOf anyOf allOf $ref'.split(' ')

/**
 * The schemas that hold for a value, with the only choice of `oneOf` and `anyOf` that is not null and not impossible. A
 * list whose choices only narrow, such as by `required`, is left out. Null: the value is one of several.
 */
function withOnlyChoices(root: unknown, schemas: readonly Schema[]): readonly Schema[] | null {
  const joined = new Set(schemas)
  // Grows meanwhile.
  for (const schema of joined) {
    for (const list of [listAt(schema, 'oneOf'), listAt(schema, 'anyOf')]) {
      if (!list.some(isTelling)) continue
      const [only, ...others] = list
        .map((choice) => withReferred(root, [choice]))
        .filter((choice) => choice !== null && [...typesOf(choice)].some((type) => type !== 'null'))
      if (others.length > 0) return null
      for (const one of only ?? []) joined.add(one)
    }
  }
  return [...joined]
}

function isTelling(choice: unknown): boolean {
  return isSchema(choice) && TELLING.some((keyword) => choice[keyword] !== undefined)
}
