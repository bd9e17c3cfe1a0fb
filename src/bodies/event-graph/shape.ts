import { isSchema, listAt, type Schema, typesOf, withReferred } from '../../lib/schema-path.ts'

const KINDS = {
  object: 'object',
  array: 'array',
  string: 'String',
  boolean: 'Boolean',
  integer: 'Float',
  number: 'Float',
} as const

type Kind = (typeof KINDS)[keyof typeof KINDS]

const ALL_KINDS = new Set(Object.values(KINDS))

/** What schemas of which all hold say about a value that is not null. Null: something else, or nothing. */
export function kindOf(schemas: readonly Schema[]): Kind | null {
  const kinds = new Set(
    [...typesOf(schemas)].flatMap((type) => (type === 'null' ? [] : KINDS[type])),
  )
  const [only] = kinds
  if (kinds.size === 1 && only) return only
  if (kinds.size < ALL_KINDS.size) return null
  if (schemas.some(({ properties }) => properties !== undefined)) return 'object'
  return schemas.some(({ items }) => items !== undefined) ? 'array' : null
}

const MAX_DESCRIPTION_LENGTH = 1_000

export function descriptionOf(schemas: readonly Schema[]): string | null {
  const texts = ['description', 'title'].flatMap((keyword) => schemas.map((one) => one[keyword]))
  const text = texts.find((one) => typeof one === 'string' && one.trim() !== '')?.toString()
  return text?.trim().slice(0, MAX_DESCRIPTION_LENGTH).toWellFormed() ?? null
}

/** Keywords that say what a value is, and not only how it is narrowed. */
const TELLING = 'type properties items prefixItems const enum oneOf anyOf allOf $ref'.split(' ')

/**
 * The schemas that hold for a value, with the only choice of `oneOf` and `anyOf` that is not null and not impossible. A
 * list whose choices only narrow, such as by `required`, is left out. Null: the value is one of several.
 */
export function withOnlyChoices(
  root: unknown,
  schemas: readonly Schema[],
): readonly Schema[] | null {
  const joined = new Set(schemas)
  // Grows meanwhile.
  for (const schema of joined) {
    for (const list of [listAt(schema, 'oneOf'), listAt(schema, 'anyOf')]) {
      if (!list.some(isTelling)) continue
      const [only, ...others] = list
        .map((choice) => withReferred(root, [choice]))
        .filter((choice) => choice !== null && [...typesOf(choice)].some((type) => type !== 'null'))
      if (others.length > 0) return null
      for (const one of only ?? []) joined.add(one)
    }
  }
  return [...joined]
}

function isTelling(choice: unknown): boolean {
  return isSchema(choice) && TELLING.some((keyword) => choice[keyword] !== undefined)
}
