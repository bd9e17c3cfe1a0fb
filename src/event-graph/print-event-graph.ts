import { type GraphQLSchema, isIntrospectionType, isSpecifiedScalarType, printType } from 'graphql'
import { takeTurns } from '../lib/take-turns.ts'

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
