import {
  type GraphQLSchema,
  isObjectType,
  Kind,
  lexicographicSortSchema,
  parse,
  printSchema,
} from 'graphql'

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
