import {
  type GraphQLNamedType,
  GraphQLObjectType,
  GraphQLSchema,
  type GraphQLSchemaConfig,
} from 'graphql'
import { takeTurns } from '../lib/take-turns.ts'
import { describeCatalogue } from './describe-catalogue.ts'
import { createEventTypes, type EventTypes, type GraphOptions } from './event-types.ts'
import type { SourceType } from './model.ts'

/** The root types of a schema over the types of events. */
export type RootTypes = (
  types: EventTypes,
) => Pick<GraphQLSchemaConfig, 'query' | 'mutation' | 'subscription' | 'types'>

/**
 * The event graph of a catalogue with root types. It is made in turns, because 1,000 event types take some 200 ms; only
 * the last step, which collects types that are made, takes some 10 ms at once.
 */
export async function createEventSchema(
  catalogue: readonly SourceType[],
  rootTypes: RootTypes,
  options: GraphOptions = {},
): Promise<GraphQLSchema> {
  const models = await describeCatalogue(catalogue)
  const eventTypes = createEventTypes(models, options)
  await takeTurns([...eventTypes.types, ...eventTypes.nested], makeFields)
  return toSchema(eventTypes, rootTypes(eventTypes))
}

/** They are made once, when they are asked for. graphql-js gives each field an object of extensions, of 220 bytes. */
function makeFields(type: GraphQLNamedType): void {
  if (!('getFields' in type)) return
  for (const field of Object.values(type.getFields()))
    if (Object.keys(field.extensions).length === 0) field.extensions = NO_EXTENSIONS
}

const NO_EXTENSIONS = Object.freeze({})

/** Tests validate such schemas: names and types follow rules that leave nothing invalid. */
export function toSchema({ types }: EventTypes, roots: ReturnType<RootTypes>): GraphQLSchema {
  return new GraphQLSchema({
    ...roots,
    types: [...types, ...(roots.types ?? [])],
    assumeValid: true,
  })
}

/** A schema of events alone: for selections, which begin at an event. */
export const eventAlone: RootTypes = ({ event }) => ({
  query: new GraphQLObjectType({ name: 'Query', fields: { event: { type: event } } }),
})
