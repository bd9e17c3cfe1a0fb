/** Validation applies each rule to each part of the data, so a larger schema can be slow even with linear keywords. */
const MAX_LENGTH = 2 * 1024

/** A longer `enum` is slow to check. */
const MAX_ENUM_VALUES = 50

/** Keywords that visit each part of the data once. */
const LINEAR_KEYWORDS: ReadonlySet<string> = new Set([
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
 * Whether validation takes linear time in the size of the data, apart from patterns and formats, which have their own
 * limit. Other schemas can be far slower: references can multiply, and `uniqueItems` compares all pairs.
 */
export function isLinearSchema(schema: unknown): boolean {
  return JSON.stringify(schema).length <= MAX_LENGTH && hasLinearKeywords(schema)
}

function hasLinearKeywords(schema: unknown): boolean {
  if (typeof schema !== 'object' || schema === null) return true
  return Object.entries(schema).every(([keyword, value]) => {
    if (!LINEAR_KEYWORDS.has(keyword)) return false
    if (keyword === 'enum') return Array.isArray(value) && value.length <= MAX_ENUM_VALUES
    if (keyword === 'properties') return Object.values(value as object).every(hasLinearKeywords)
    if (keyword === 'items' || keyword === 'additionalProperties') return hasLinearKeywords(value)
    return true
  })
}
