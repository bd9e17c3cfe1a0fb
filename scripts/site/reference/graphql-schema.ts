import { readFileSync } from 'node:fs'
import {
  buildSchema,
  type GraphQLNamedType,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isIntrospectionType,
  isObjectType,
  isSpecifiedScalarType,
} from 'graphql'
import { anchor } from './markdown.ts'

export const SCHEMA: GraphQLSchema = buildSchema(
  readFileSync(new URL('../../../schema.graphql', import.meta.url), 'utf8'),
)

const ROOTS = ['Query', 'Mutation', 'Subscription']

export type TypeGroup = 'objects' | 'inputs' | 'enums' | 'errors'

/** The types of a page, by name. Root types have pages of their own. */
export function typesOf(group: TypeGroup): GraphQLNamedType[] {
  return Object.values(SCHEMA.getTypeMap())
    .filter((type) => !isIntrospectionType(type) && !isSpecifiedScalarType(type))
    .filter(({ name }) => !ROOTS.includes(name) && groupOf(name) === group)
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

function groupOf(name: string): TypeGroup {
  const type = SCHEMA.getType(name)
  if (isInputObjectType(type)) return 'inputs'
  if (isEnumType(type)) return 'enums'
  const isError =
    name === 'UserError' ||
    (isObjectType(type) && type.getInterfaces().some((one) => one.name === 'UserError'))
  return isError ? 'errors' : 'objects'
}

/** A type, with a link to the section of its name: `[String!]!`. */
export function linkedType(text: string): string {
  const [name = ''] = /\w+/.exec(text) ?? []
  const type = SCHEMA.getType(name)
  if (!type || isSpecifiedScalarType(type)) return `\`${text}\``
  const page = ROOTS.includes(name) ? '' : `graphql-${groupOf(name)}.md#${anchor(name)}`
  return `[\`${text}\`](${page})`
}
