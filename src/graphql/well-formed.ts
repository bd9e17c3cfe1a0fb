import {
  type GraphQLArgument,
  type GraphQLInputType,
  GraphQLString,
  isInputObjectType,
  isListType,
  isNonNullType,
} from 'graphql'
import { type FieldIssue, fieldIssue, invalid } from '../lib/errors.ts'

/**
 * Throws `invalid` for each `String` among the arguments with the NUL character, which Postgres stores in no text. Values of
 * the type `JSON` may have it: events are kept as texts of JSON, which escape it.
 */
export function rejectNul(
  declared: readonly GraphQLArgument[],
  args: Readonly<Record<string, unknown>>,
): void {
  const issues: FieldIssue[] = []
  // Paths of issues start in the argument `input`, as in the issues of domain functions.
  for (const { name, type } of declared) collect(type, args[name], name === 'input' ? [] : [name])
  if (issues.length > 0) throw invalid(issues)

  function collect(type: GraphQLInputType, value: unknown, path: FieldIssue['path']): void {
    if (value === null || value === undefined) return
    if (isNonNullType(type)) collect(type.ofType, value, path)
    else if (isListType(type)) {
      // GraphQL takes one item for a list of it.
      const items = Array.isArray(value) ? value : [value]
      for (const [i, item] of items.entries()) collect(type.ofType, item, [...path, i])
    } else if (isInputObjectType(type)) {
      for (const field of Object.values(type.getFields())) {
        const given = (value as Readonly<Record<string, unknown>>)[field.name]
        collect(field.type, given, [...path, field.name])
      }
    } else if (type === GraphQLString && typeof value === 'string' && value.includes('\0')) {
      issues.push(fieldIssue(path, 'invalid_text', 'must not contain the NUL character.'))
    }
  }
}
