/** A JSON Schema, or a part of one. */
export type Schema = Readonly<Record<string, unknown>>

/** Resolves a reference within the same schema, such as `#/$defs/ticket`. */
export function resolveSchema(root: unknown, given: unknown): Schema {
  const schema = objectOf(given)
  const reference = textOf(schema['$ref'])
  if (!reference?.startsWith('#/')) return schema
  let found: unknown = root
  for (const step of reference.slice(2).split('/')) {
    found = objectOf(found)[decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~')]
  }
  return { ...objectOf(found), ...schema }
}

export function objectOf(value: unknown): Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Schema)
    : {}
}

export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
export const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null)
