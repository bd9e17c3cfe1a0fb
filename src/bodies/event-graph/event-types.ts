import {
  GraphQLBoolean,
  GraphQLEnumType,
  type GraphQLField,
  type GraphQLFieldConfig,
  GraphQLFloat,
  GraphQLInt,
  type GraphQLInterfaceType,
  GraphQLList,
  type GraphQLNamedOutputType,
  GraphQLObjectType,
  type GraphQLOutputType,
  GraphQLScalarType,
  GraphQLString,
} from 'graphql'
import { isSchema, type Schema, schemasOfMember, withReferred } from '../../lib/schema-path.ts'
import { standardSchema } from '../../lib/standard-schema.ts'
import { EVENT_FIELDS, fieldNames, firstFree, MAX_NAME_LENGTH, pascalCase } from './names.ts'
import {
  descriptionOf,
  enumValues,
  itemSchemas,
  kindOf,
  type Property as NamedProperty,
  objectParts,
  propertiesOf,
  withOnlyChoices,
} from './shape.ts'

/** An event type as the event graph needs it. */
export interface SourceType {
  readonly name: string
  readonly description: string
  /** The text of the JSON Schema. Null: any JSON is valid. */
  readonly schema: string | null
}

/** Values are as they were published: numbers keep their digits, also beyond 32 bits, and enums what they do not list. */
const asPublished = <Value>(value: Value) => value
const open = { serialize: asPublished, coerceOutputValue: asPublished }
export const INT = new GraphQLScalarType({ ...GraphQLInt.toConfig(), ...open })

class OpenEnum extends GraphQLEnumType {
  override coerceOutputValue(value: string): string {
    return value
  }
}

const SCALARS = {
  String: GraphQLString,
  Boolean: GraphQLBoolean,
  Float: new GraphQLScalarType({ ...GraphQLFloat.toConfig(), ...open }),
  Int: INT,
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

/*
 * Where the JSON of a parent has what a field says, and which event type a type is: extensions of the schema, which plans
 * are made from.
 */
const SOURCE = 'posthornSource'

/** The names of the members that lead to the value of a field. Without an extension, the member has the name of the field. */
export function memberOf({ name, extensions }: GraphQLField<unknown, unknown>): readonly string[] {
  return (extensions[SOURCE] as readonly string[] | undefined) ?? [name]
}

/** The name of the event type whose events have an object type. Undefined for `OtherEvent`. */
export function eventTypeOf({ extensions }: GraphQLObjectType): string | undefined {
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

/** A property with the schemas of its values. */
type Property = NamedProperty & { readonly schemas: readonly Schema[] }

/** The object type of an event type. Its nested types depend on nothing but the schema and `typeName`. */
export function createEventType(
  source: SourceType,
  typeName: string,
  event: GraphQLInterfaceType,
): GraphQLObjectType {
  const root = source.schema === null ? null : standardSchema(JSON.parse(source.schema))
  const dataTypeName = `${typeName}_Data`
  const taken = new Set([typeName, dataTypeName])
  const known = new Map<string, GraphQLNamedOutputType>()
  const numbers = new Map<unknown, number>()
  const objects: GraphQLObjectType[] = []
  const json = event.getFields()['data']?.type as GraphQLNamedOutputType
  /** Fields are made level by level, so that each type is as near to the event as it can be. */
  const todo: (() => void)[] = []
  let fieldsLeft = MAX_FIELDS

  let dataFields: Fields = {}
  const dataType = new GraphQLObjectType({
    name: dataTypeName,
    description: `The data of \`${source.name}\`.`,
    fields: () => dataFields,
  })
  const properties = dataProperties()
  fieldsLeft -= properties.length
  dataFields = fieldsOf(properties, { typeName, level: 0 }, EVENT_FIELDS)
  while (todo.length > 0) for (const make of todo.splice(0)) make()
  const type = new GraphQLObjectType({
    name: typeName,
    description: source.description,
    interfaces: [event],
    extensions: { [SOURCE]: source.name },
    fields: () => ({
      ...event.toConfig().fields,
      previous: {
        type: properties.length > 0 ? dataType : json,
        description: 'The data before the change. Null if the publisher did not give them.',
      },
      ...withinData(dataFields),
    }),
  })
  for (const one of [...objects, dataType, type]) completeFields(one)
  return type

  function dataProperties(): Property[] {
    const schemas = withOnlyChoices(root, withReferred(root, [root]) ?? [])
    if (schemas === null || kindOf(schemas) !== 'object') return []
    known.set(keyOf(objectParts(schemas)), dataType)
    return usableProperties(schemas)
  }

  function usableProperties(schemas: readonly Schema[]): Property[] {
    return propertiesOf(schemas)
      .filter(({ name }) => name.length <= MAX_NAME_LENGTH)
      .flatMap((property) => {
        const ofValue = schemasOfMember(root, schemas, property.name)
        return ofValue === null ? [] : [{ ...property, schemas: ofValue }]
      })
      .slice(0, fieldsLeft)
  }

  function fieldsOf(
    properties: readonly Property[],
    parent: Omit<Spot, 'schemas'>,
    reserved: readonly string[],
  ): Fields {
    const names = fieldNames(
      properties.map(({ name }) => name),
      reserved,
    )
    return Object.fromEntries(
      properties.map(({ name: property, own, schemas: ofValue }) => {
        const step = pascalCase(property) || 'Field'
        const at = { typeName: `${parent.typeName}_${step}`, level: parent.level + 1 }
        const schemas = [...own, ...ofValue]
        const name = names.get(property) ?? property
        const isDeprecated = schemas.some((one) => isSchema(one) && one['deprecated'] === true)
        const field = {
          type: typeOf({ ...at, schemas: ofValue }, own),
          description: descriptionOf(schemas),
          ...(isDeprecated && { deprecationReason: 'The schema marks it as deprecated.' }),
          ...(property !== name && { extensions: { [SOURCE]: [property] } }),
        }
        return [name, field]
      }),
    )
  }

  /** `own`: the schemas that stand at the place itself. What they refer to gives a type its name. */
  function typeOf(spot: Spot, own: readonly unknown[]): GraphQLOutputType {
    if (spot.level > MAX_LEVELS) return json
    const schemas = withOnlyChoices(root, spot.schemas)
    if (schemas === null) return json
    const at = { ...spot, schemas, typeName: nameByReference(own) ?? spot.typeName }
    const kind = kindOf(schemas)
    if (kind === 'object') return objectType(at)
    if (kind === 'array') return listType(at)
    if (kind === 'String') return enumType(at) ?? GraphQLString
    return kind === null ? json : SCALARS[kind]
  }

  function objectType(spot: Spot): GraphQLNamedOutputType {
    const schemas = objectParts(spot.schemas)
    const key = keyOf(schemas)
    const found = known.get(key)
    if (found) return found
    const properties = usableProperties(schemas)
    const name = properties.length > 0 ? newName(spot) : null
    if (name === null) return json
    let fields: Fields = {}
    const description = descriptionOf(schemas)
    const type = new GraphQLObjectType({ name, description, fields: () => fields })
    known.set(key, type)
    objects.push(type)
    // Here, and not when the fields are made, so that no type is left without any.
    fieldsLeft -= properties.length
    todo.push(() => {
      fields = fieldsOf(properties, { ...spot, typeName: name }, [])
    })
    return type
  }

  function listType(spot: Spot): GraphQLOutputType {
    const items = itemSchemas(spot.schemas)
    const schemas = items && withReferred(root, items)
    if (items === null || schemas === null) return new GraphQLList(json)
    return new GraphQLList(typeOf({ ...spot, schemas, level: spot.level + 1 }, items))
  }

  function enumType(spot: Spot): GraphQLNamedOutputType | null {
    const values = enumValues(spot.schemas)
    if (values === null) return null
    const schemas = spot.schemas.filter(({ enum: list, const: only }) => list ?? only)
    const found = known.get(keyOf(schemas))
    if (found) return found
    const name = newName(spot)
    if (name === null) return json
    const type = new OpenEnum({
      name,
      description: descriptionOf(schemas),
      values: Object.fromEntries(values.map((value) => [value, {}])),
    })
    known.set(keyOf(schemas), type)
    return type
  }

  /** Null: the event type has too many types. */
  function newName(spot: Spot): string | null {
    if (taken.size - 2 >= MAX_TYPES || fieldsLeft <= 0) return null
    const name = firstFree(spot.typeName, taken)
    taken.add(name)
    return name
  }

  /** Equal schemas have one type. */
  function keyOf(schemas: readonly unknown[]): string {
    for (const schema of schemas) if (!numbers.has(schema)) numbers.set(schema, numbers.size)
    const ids = schemas.map((schema) => numbers.get(schema) as number)
    return ids.toSorted((a, b) => a - b).join(',')
  }

  /** `#/$defs/address` → `OrderPaid_Address`. */
  function nameByReference(own: readonly unknown[]): string | null {
    for (const schema of own) {
      const reference = isSchema(schema) ? schema['$ref'] : undefined
      if (typeof reference !== 'string' || reference === '#') continue
      const step = pascalCase(reference.split('/').at(-1) ?? '')
      if (step !== '' && step.length <= MAX_NAME_LENGTH) return `${typeName}_${step}`
    }
    return null
  }
}

/** The fields of data as fields of the event. */
function withinData(fields: Fields): Fields {
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => {
      const [property] = (field.extensions?.[SOURCE] as readonly string[] | undefined) ?? [name]
      return [name, { ...field, extensions: { [SOURCE]: ['data', property] } }]
    }),
  )
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
