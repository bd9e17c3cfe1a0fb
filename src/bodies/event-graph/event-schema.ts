import {
  type GraphQLInterfaceType,
  GraphQLObjectType,
  GraphQLSchema,
  type GraphQLSchemaConfig,
  isIntrospectionType,
  isSpecifiedScalarType,
  printType,
} from 'graphql'
import type { Db } from '../../db/client.ts'
import { takeTurns } from '../../lib/take-turns.ts'
import {
  createEventInterface,
  createEventType,
  createOtherEvent,
  type SourceType,
} from './event-types.ts'
import { typeNames } from './names.ts'

/** SQL: the event types that are not archived, with their schemas as their authors wrote them. */
export const SOURCE_TYPES = `
  select name, description, schema::text as schema from posthorn.event_types
  where archived_at is null order by name collate "C"`

/** The event types that the event graph is made of. */
export async function readSourceTypes(db: Db): Promise<SourceType[]> {
  return await db.$queryRawUnsafe<SourceType[]>(SOURCE_TYPES)
}

/** The same list has the same names: many selections are compiled for one catalogue. */
const namesOfLists = new WeakMap<readonly SourceType[], ReadonlyMap<string, string>>()

/** The names of the object types of a catalogue, by the names of the event types. */
export function namesOfTypes(types: readonly SourceType[]): ReadonlyMap<string, string> {
  const known = namesOfLists.get(types) ?? typeNames(types.map(({ name }) => name))
  namesOfLists.set(types, known)
  return known
}

/** The root types of a schema over events. */
export type RootTypes = (
  event: GraphQLInterfaceType,
) => Pick<GraphQLSchemaConfig, 'query' | 'mutation' | 'subscription'>

/**
 * The event graph of a catalogue for streams, with root types. It is made in turns, because 1,000 event types take some
 * 200 ms; only the last step, which collects types that are made, takes some 10 ms at once.
 */
export async function createEventSchema(
  catalogue: readonly SourceType[],
  rootTypes: RootTypes,
): Promise<GraphQLSchema> {
  const names = namesOfTypes(catalogue)
  const event = createEventInterface(names)
  const types = await takeTurns(catalogue, (type) =>
    createEventType(type, names.get(type.name) ?? '', event),
  )
  return toSchema(rootTypes(event), [...types, createOtherEvent(event)])
}

/** A schema of events alone, for selections, which begin at an event. Of the event types whose type name is wanted. */
export function createSelectionSchema(
  catalogue: readonly SourceType[],
  isWanted: (typeName: string) => boolean,
): GraphQLSchema {
  const event = createEventInterface()
  const names = namesOfTypes(catalogue)
  const types = catalogue.flatMap((type) => {
    const typeName = names.get(type.name) ?? ''
    return isWanted(typeName) ? [createEventType(type, typeName, event)] : []
  })
  return toSchema(eventAlone(event), types)
}

export const eventAlone: RootTypes = (event) => ({
  query: new GraphQLObjectType({ name: 'Query', fields: { event: { type: event } } }),
})

/** Tests validate such schemas: names and types follow rules that leave nothing invalid. */
function toSchema(roots: ReturnType<RootTypes>, types: GraphQLObjectType[]): GraphQLSchema {
  return new GraphQLSchema({ ...roots, types, assumeValid: true })
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
