/** Above this, even a plain schema takes long for data of many parts, as each is looked at by each of its rules. */
const MAX_LENGTH = 2 * 1024

/** Values that one `enum` may list to be quick. */
const MAX_VALUES = 50

/** What looks at each part of the data once. */
const PLAIN: ReadonlySet<string> = new Set([
  '$comment',
  '$id',
  '$schema',
  'additionalProperties',
  'const',
  'default',
  'deprecated',
  'description',
  'enum',
  'examples',
  'exclusiveMaximum',
  'exclusiveMinimum',
  'format',
  'items',
  'maxItems',
  'maxLength',
  'maxProperties',
  'maximum',
  'minItems',
  'minLength',
  'minProperties',
  'minimum',
  'multipleOf',
  'pattern',
  'properties',
  'readOnly',
  'required',
  'title',
  'type',
  'writeOnly',
])

/**
 * Whether a JSON Schema takes time in proportion to the data, but for its patterns and formats, which see to themselves.
 * Others can take more than anybody waits for: references can multiply, and `uniqueItems` compares all with all.
 */
export function isLinearSchema(schema: unknown): boolean {
  return JSON.stringify(schema).length <= MAX_LENGTH && hasPlainKeywords(schema)
}

function hasPlainKeywords(schema: unknown): boolean {
  if (typeof schema !== 'object' || schema === null) return true
  return Object.entries(schema).every(([keyword, value]) => {
    if (!PLAIN.has(keyword)) return false
    if (keyword === 'enum') return Array.isArray(value) && value.length <= MAX_VALUES
    if (keyword === 'properties') return Object.values(value as object).every(hasPlainKeywords)
    if (keyword === 'items' || keyword === 'additionalProperties') return hasPlainKeywords(value)
    return true
  })
}
