import {
  type GraphQLSchema,
  isObjectType,
  Kind,
  lexicographicSortSchema,
  parse,
  printSchema,
} from 'graphql'
import { isSemanticNonNull, semanticNonNull } from './semantic-non-null-plugin.ts'

/** The schema as text, with `@semanticNonNull`: `printSchema` prints no directives of fields but the standard ones. */
export function printSchemaWithDirectives(schema: GraphQLSchema): string {
  const text = printSchema(lexicographicSortSchema(schema))
  const ends = parse(text).definitions.flatMap((definition) => {
    if (definition.kind !== Kind.OBJECT_TYPE_DEFINITION) return []
    const type = schema.getType(definition.name.value)
    const fields = isObjectType(type) ? type.getFields() : {}
    return (definition.fields ?? []).flatMap(({ name, loc }) => {
      const field = fields[name.value]
      return loc && field && isSemanticNonNull(field) ? loc.end : []
    })
  })
  const parts = [0, ...ends].map((start, i) => text.slice(start, ends[i]))
  return `${parts.join(` @${semanticNonNull.name}`)}\n`
}
