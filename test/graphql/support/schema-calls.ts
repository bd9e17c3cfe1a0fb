import { readFileSync } from 'node:fs'
import {
  astFromValue,
  buildSchema,
  type GraphQLField,
  type GraphQLInputType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
  isRequiredArgument,
  isRequiredInputField,
  isScalarType,
  isUnionType,
  print,
} from 'graphql'
import { JOINED } from '../../support/factories.ts'

/* Calls of the fields of the schema, so that a test covers a new field by itself. */

export const SCHEMA = buildSchema(
  readFileSync(new URL('../../../schema.graphql', import.meta.url), 'utf8'),
)

export type Field = GraphQLField<unknown, unknown>

/** The id to give where an argument of a field asks for one. */
export type IdOf = (field: string, argument: string) => string

/** Texts that their fields accept. */
export const TEXTS: Readonly<Record<string, string>> = {
  url: 'https://example.com',
  email: 'ada@example.org',
  eventSubscriptions: JOINED,
  type: JOINED,
  eventType: JOINED,
  path: '$.attendee',
}

const SCALARS: Readonly<Record<string, unknown>> = {
  Int: 1,
  Float: 1,
  Boolean: false,
  Scope: 'webhooks:read',
  DateTime: new Date(Date.now() - 3_600_000).toISOString(),
  JSON: {},
}

/** A value with the required fields alone. */
export function sampleOf(type: GraphQLInputType, name: string, field: string, idOf: IdOf): unknown {
  if (isNonNullType(type)) return sampleOf(type.ofType, name, field, idOf)
  if (isListType(type)) return [sampleOf(type.ofType, name, field, idOf)]
  if (isEnumType(type)) return type.getValues()[0]?.name
  if (isInputObjectType(type)) {
    const required = Object.values(type.getFields()).filter(isRequiredInputField)
    return Object.fromEntries(
      required.map((one) => [one.name, sampleOf(one.type, one.name, field, idOf)]),
    )
  }
  if (type.name === 'ID') return idOf(field, name)
  return type.name === 'String' ? (TEXTS[name] ?? 'text') : SCALARS[type.name]
}

/** The field with its required arguments, and with the `id` if it takes one. */
export function callOf({ name, args }: Field, idOf: IdOf): string {
  const given = args
    .filter((argument) => isRequiredArgument(argument) || argument.name === 'id')
    .map((argument) => {
      const value = astFromValue(sampleOf(argument.type, argument.name, name, idOf), argument.type)
      return `${argument.name}: ${value && print(value)}`
    })
  return given.length > 0 ? `${name}(${given.join(', ')})` : name
}

/** A selection that reads an object of the result, if there is one. */
export function selectionOf({ type }: Field): string {
  const named = getNamedType(type)
  if (isScalarType(named) || isEnumType(named)) return ''
  if (isUnionType(named)) return '{ __typename ... on UserError { message } }'
  const isConnection = isObjectType(named) && 'nodes' in named.getFields()
  return isConnection ? '{ nodes { __typename } }' : '{ __typename }'
}
