import type { GraphQLAbstractType, GraphQLField, GraphQLObjectType } from 'graphql'

/*
 * Where the JSON of a parent has what a field or a type of a schema says: extensions of the schema, which plans are made
 * from.
 */

/** What tells the object types of an interface or a union apart. */
export type Choice =
  | {
      readonly by: 'value'
      readonly property: string
      readonly cases: readonly {
        readonly type: GraphQLObjectType
        readonly values: readonly (string | number | boolean)[]
      }[]
      /** Whether values of no case have the fields of the interface. Else they are null. */
      readonly isOpen: boolean
    }
  | {
      readonly by: 'name'
      readonly cases: readonly { readonly type: GraphQLObjectType; readonly property: string }[]
    }

const SOURCE = 'posthornSource'

export const readFrom = {
  /** The names of the members that lead to the value of a field. */
  member: (path: readonly string[]) => ({ [SOURCE]: path }),
  /** Of an interface or a union. */
  choice: (choice: () => Choice) => ({ [SOURCE]: choice }),
}

/** Without an extension, the member has the name of the field. */
export function memberOf({ name, extensions }: GraphQLField<unknown, unknown>): readonly string[] {
  return (extensions[SOURCE] as readonly string[] | undefined) ?? [name]
}

export function choiceOf(type: GraphQLAbstractType): Choice {
  const choice = type.extensions[SOURCE] as (() => Choice) | undefined
  if (choice === undefined) throw new Error(`Nothing tells the types of ${type.name} apart.`)
  return choice()
}
