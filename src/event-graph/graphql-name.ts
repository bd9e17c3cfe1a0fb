import { isSchema } from '../lib/schema-path.ts'

/** The keyword of a JSON Schema that sets a name in the event graph. */
export const NAME_KEYWORD = 'x-graphql-name'

/** What the keyword says in a schema. Null if it says nothing. */
export function givenName(schema: unknown): string | null {
  if (!isSchema(schema) || !Object.hasOwn(schema, NAME_KEYWORD)) return null
  const name = schema[NAME_KEYWORD]
  return typeof name === 'string' ? name : null
}
