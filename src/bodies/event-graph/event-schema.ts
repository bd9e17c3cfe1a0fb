import {
  buildSchema,
  type GraphQLField,
  type GraphQLInterfaceType,
  GraphQLObjectType,
  GraphQLSchema,
  isIntrospectionType,
  isSpecifiedScalarType,
  printType,
} from 'graphql'
import type { Db } from '../../db/client.ts'
import { takeTurns } from '../../lib/take-turns.ts'
import { createEventType, createOtherEvent, type SourceType } from './event-types.ts'
import { typeNames } from './names.ts'

/** The event types that are not archived, with their schemas as their authors wrote them. */
export async function readSourceTypes(db: Db): Promise<SourceType[]> {
  return await db.$queryRaw<SourceType[]>`
    select name, description, schema::text as schema from posthorn.event_types
    where archived_at is null order by name collate "C"`
}

/** The names of the object types of a catalogue, by the names of the event types. */
export function namesOfTypes(types: readonly SourceType[]): ReadonlyMap<string, string> {
  return typeNames(types.map(({ name }) => name))
}

const EVENT = `
"""Any JSON value, as it was published: numbers keep their digits."""
scalar JSON @specifiedBy(url: "https://www.rfc-editor.org/rfc/rfc8259")

"""An RFC 3339 time in UTC with milliseconds, such as \`2026-01-31T12:00:00.000Z\`."""
scalar DateTime @specifiedBy(url: "https://www.rfc-editor.org/rfc/rfc3339#section-5.6")

"""An event, of any type. \`... on\` selects what an event of one type has."""
interface Event {
  """The id: \`evt_…\`."""
  id: ID!
  """The name of the event type, such as \`order.paid\`."""
  type: String!
  """When the event occurred, as the publisher says."""
  occurredAt: DateTime!
  """When the event was published."""
  publishedAt: DateTime!
  """The whole data."""
  data: JSON
}
`

type RootFields = Readonly<Record<string, Readonly<Record<string, Partial<AnyField>>>>>
type AnyField = GraphQLField<never, never, never>

/** The root types of a graph of events, in the schema definition language, and what that cannot say of their fields. */
export function eventRoots(definitions: string, fields: RootFields = {}): GraphQLSchema {
  const roots = buildSchema(`${EVENT}${definitions}`)
  for (const [typeName, added] of Object.entries(fields)) {
    const type = roots.getType(typeName) as GraphQLObjectType
    for (const field of Object.values(type.getFields())) {
      Object.assign(field, added[field.name])
    }
  }
  return roots
}

/** Selections begin at an event. */
export const SELECTION_ROOTS = eventRoots('type Query { event: Event }')

/**
 * The event graph of a catalogue for streams. It is made in turns, because 1,000 event types take some 200 ms; only the
 * last step, which collects types that are made, takes some 10 ms at once.
 */
export async function createEventSchema(
  catalogue: readonly SourceType[],
  roots: GraphQLSchema,
): Promise<GraphQLSchema> {
  const names = namesOfTypes(catalogue)
  const event = eventOf(roots)
  const types = await takeTurns(catalogue, (type) =>
    createEventType(type, names.get(type.name) ?? '', event),
  )
  return toSchema(roots, [...types, createOtherEvent(event)])
}

/** A schema of events alone, for selections. The types whose name is not wanted have no fields. */
export function createSelectionSchema(
  catalogue: readonly SourceType[],
  isWanted: (typeName: string) => boolean,
): GraphQLSchema {
  const names = namesOfTypes(catalogue)
  const types = catalogue.map((type) => {
    const name = names.get(type.name) ?? ''
    return isWanted(name)
      ? createEventType(type, name, eventOf(SELECTION_ROOTS))
      : new GraphQLObjectType({ name, fields: {} })
  })
  return toSchema(SELECTION_ROOTS, types)
}

export function eventOf(roots: GraphQLSchema): GraphQLInterfaceType {
  return roots.getType('Event') as GraphQLInterfaceType
}

/** Tests validate such schemas: names and types follow rules that leave nothing invalid. */
function toSchema(roots: GraphQLSchema, types: GraphQLObjectType[]): GraphQLSchema {
  return new GraphQLSchema({ ...roots.toConfig(), types, assumeValid: true })
}

/**
 * The schema definition of a schema over events, with descriptions: types by name, fields in their order. It is printed in
 * turns, because 1,000 event types take some 50 ms. The root types have their usual names.
 */
export async function printEventGraph(schema: GraphQLSchema): Promise<string> {
  const types = Object.values(schema.getTypeMap())
    .filter((type) => !isSpecifiedScalarType(type) && !isIntrospectionType(type))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
  const printed = await takeTurns(types, printType)
  return `${printed.join('\n\n')}\n`
}
