import {
  GraphQLBoolean,
  GraphQLEnumType,
  type GraphQLFieldConfig,
  GraphQLFloat,
  GraphQLID,
  GraphQLInt,
  GraphQLInterfaceType,
  GraphQLList,
  type GraphQLNamedOutputType,
  GraphQLNonNull,
  GraphQLObjectType,
  type GraphQLOutputType,
  GraphQLScalarType,
  GraphQLString,
} from 'graphql'
import type {
  EventModel,
  FieldModel,
  ObjectModel,
  ScalarName,
  TypeModel,
  TypeRef,
} from './model.ts'
import { readFromEvent, readFromMember } from './sources.ts'

/** The interface `Event` and the object types of the event types, for a schema of any root types. */
export interface EventTypes {
  readonly event: GraphQLInterfaceType
  /** In the order of the models. */
  readonly types: readonly GraphQLObjectType[]
  /** The types that their fields need. */
  readonly nested: readonly GraphQLNamedOutputType[]
}

/** `parseValue` of variables and arguments: none of the event graph takes them. */
export const JSON_SCALAR: GraphQLScalarType = new GraphQLScalarType({
  name: 'JSON',
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc8259',
  description: 'Any JSON value, as it was published: numbers keep their digits.',
})

export const DATE_TIME_SCALAR: GraphQLScalarType = new GraphQLScalarType({
  name: 'DateTime',
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc3339#section-5.6',
  description: 'An RFC 3339 time in UTC with milliseconds, such as `2026-01-31T12:00:00.000Z`.',
})

const SCALARS: Readonly<Record<ScalarName, GraphQLScalarType>> = {
  String: GraphQLString,
  Boolean: GraphQLBoolean,
  Float: GraphQLFloat,
  Int: GraphQLInt,
  JSON: JSON_SCALAR,
}

export interface GraphOptions {
  /** Whether events have their place in the stream. Default: false. */
  readonly isStream?: boolean
}

const CURSOR: Fields[string] = {
  type: new GraphQLNonNull(GraphQLString),
  description: 'The place of the event in the stream, for `after`: a stream goes on after it.',
}

type Fields = Record<string, GraphQLFieldConfig<unknown, unknown>>

/**
 * The GraphQL types of models. The fields are made when they are asked for: `getFields` of each type makes them in steps.
 */
export function createEventTypes(
  models: readonly EventModel[],
  { isStream = false }: GraphOptions = {},
): EventTypes {
  const eventFields = () => fieldsOfEvents(isStream)
  const event: GraphQLInterfaceType = new GraphQLInterfaceType({
    name: 'Event',
    description: 'An event, of any type. `... on` selects what an event of one type has.',
    fields: eventFields,
  })
  const made = models.map((model) => createEventType(model, event, eventFields))
  const types: GraphQLObjectType[] = made.map(({ type }) => type)
  return { event, types, nested: made.flatMap(({ nested }) => nested) }
}

function fieldsOfEvents(isStream: boolean): Fields {
  return {
    ...(isStream && { cursor: CURSOR }),
    id: { type: new GraphQLNonNull(GraphQLID), description: 'The id: `evt_…`.' },
    type: {
      type: new GraphQLNonNull(GraphQLString),
      description: 'The name of the event type, such as `order.paid`.',
    },
    occurredAt: {
      type: new GraphQLNonNull(DATE_TIME_SCALAR),
      description: 'When the event occurred, as the publisher says.',
    },
    publishedAt: {
      type: new GraphQLNonNull(DATE_TIME_SCALAR),
      description: 'When the event was published.',
    },
    data: { type: JSON_SCALAR, description: 'The whole data.' },
  }
}

function createEventType(
  model: EventModel,
  event: GraphQLInterfaceType,
  eventFields: () => Fields,
) {
  const named = new Map<string, GraphQLNamedOutputType>()
  for (const type of model.types) named.set(type.name, createType(type, named))
  const data = createObject(
    {
      kind: 'object',
      name: model.dataTypeName,
      description: `The data of \`${model.name}\`.`,
      fields: model.fields,
    },
    named,
  )
  named.set(model.dataTypeName, data)
  const type = new GraphQLObjectType({
    name: model.typeName,
    description: model.description,
    interfaces: [event],
    extensions: readFromEvent(model.name),
    fields: () => ({
      ...eventFields(),
      previous: {
        type: model.fields.length > 0 ? data : JSON_SCALAR,
        description: 'The data before the change. Null if the publisher did not give them.',
      },
      ...fieldsOf(model.fields, named, 'data'),
    }),
  })
  return { type, nested: [...named.values()] }
}

function createType(
  model: TypeModel,
  named: ReadonlyMap<string, GraphQLNamedOutputType>,
): GraphQLNamedOutputType {
  const { name, description } = model
  if (model.kind === 'object') return createObject(model, named)
  return new GraphQLEnumType({
    name,
    description,
    values: Object.fromEntries(model.values.map((value) => [value, {}])),
  })
}

function createObject(
  { name, description, fields }: ObjectModel,
  named: ReadonlyMap<string, GraphQLNamedOutputType>,
): GraphQLObjectType {
  return new GraphQLObjectType({ name, description, fields: () => fieldsOf(fields, named, null) })
}

/** `within`: the member of the parent's JSON that has the properties. */
function fieldsOf(
  models: readonly FieldModel[],
  named: ReadonlyMap<string, GraphQLNamedOutputType>,
  within: string | null,
): Fields {
  return Object.fromEntries(
    models.map(({ name, property, type, description, isDeprecated }) => [
      name,
      {
        type: outputType(type, named),
        description,
        ...(isDeprecated && { deprecationReason: 'The schema marks it as deprecated.' }),
        ...((within !== null || property !== name) && {
          extensions: readFromMember(within === null ? [property] : [within, property]),
        }),
      },
    ]),
  )
}

function outputType(
  ref: TypeRef,
  named: ReadonlyMap<string, GraphQLNamedOutputType>,
): GraphQLOutputType {
  if (ref.kind === 'scalar') return SCALARS[ref.name]
  if (ref.kind === 'list') return new GraphQLList(outputType(ref.of, named))
  return named.get(ref.name) ?? JSON_SCALAR
}
