import {
  extendSchema,
  type GraphQLSchema,
  isObjectType,
  Kind,
  lexicographicSortSchema,
  parse,
  printSchema,
} from 'graphql'

export const SEMANTIC_NON_NULL = 'semanticNonNull'
export const REQUIRES_SCOPES = 'requiresScopes'

/** The argument `levels` has a use only for lists with nullable items, which no such field of this schema has. */
const DIRECTIVES = parse(`
  """
  The field is null only if the response has an error for the field, such as a missing scope. A client that handles errors separately can treat the field as non-null.
  """
  directive @${SEMANTIC_NON_NULL}(
    "The levels of a list that are null only on an error. 0: the field."
    levels: [Int!]! = [0]
  ) on FIELD_DEFINITION

  """
  The scopes that a caller needs to read the field: all of one of the lists. Without them, the field is null, with an error of the code \`FORBIDDEN\`. It has the form of Apollo Federation.
  """
  directive @${REQUIRES_SCOPES}(
    "Lists of scopes, one of which is enough."
    scopes: [[Scope!]!]!
  ) on FIELD_DEFINITION`)

/**
 * Adds the directives of fields: https://gaps.graphql.org/GAP-49/draft/ and
 * https://www.apollographql.com/docs/graphos/reference/federation/directives#requiresscopes.
 */
export function withDirectives(schema: GraphQLSchema): GraphQLSchema {
  return extendSchema(schema, DIRECTIVES)
}

/** The schema as text, with the directives of fields: `printSchema` prints none but the standard ones. */
export function printSchemaWithDirectives(schema: GraphQLSchema): string {
  const text = printSchema(lexicographicSortSchema(schema))
  const ends = parse(text).definitions.flatMap((definition) => {
    if (definition.kind !== Kind.OBJECT_TYPE_DEFINITION) return []
    const type = schema.getType(definition.name.value)
    const fields = isObjectType(type) ? type.getFields() : {}
    return (definition.fields ?? []).flatMap(({ name, loc }) => {
      const { directives = {} } = (fields[name.value]?.extensions ?? {}) as {
        readonly directives?: Readonly<Record<string, object>>
      }
      const printed = Object.entries(directives).map(
        ([name, args]) => ` @${name}${printArgs(args)}`,
      )
      return loc ? { at: loc.end, printed: printed.join('') } : []
    })
  })
  const starts = [0, ...ends.map(({ at }) => at)]
  return `${starts.map((start, i) => text.slice(start, ends[i]?.at) + (ends[i]?.printed ?? '')).join('')}\n`
}

/** JSON of lists and strings is GraphQL. */
function printArgs(args: object): string {
  const printed = Object.entries(args).map(([name, value]) => `${name}: ${JSON.stringify(value)}`)
  return printed.length > 0 ? `(${printed.join(', ')})` : ''
}
