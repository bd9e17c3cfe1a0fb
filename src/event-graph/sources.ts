import type { GraphQLField, GraphQLObjectType } from 'graphql'

/*
 * Where the JSON of a parent has what a field of a schema says, and which event type a type is: extensions of the schema,
 * which plans are made from.
 */

const SOURCE = 'posthornSource'

/** The names of the members that lead to the value of a field. */
export const readFromMember = (path: readonly string[]) => ({ [SOURCE]: path })

/** Without an extension, the member has the name of the field. */
export function memberOf({ name, extensions }: GraphQLField<unknown, unknown>): readonly string[] {
  return (extensions[SOURCE] as readonly string[] | undefined) ?? [name]
}

/** The name of the event type whose events have an object type. */
export const readFromEvent = (eventType: string) => ({ [SOURCE]: eventType })

export function eventTypeOf({ extensions }: GraphQLObjectType): string {
  return extensions[SOURCE] as string
}
