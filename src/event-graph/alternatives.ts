import { isSchema, listAt, placeOf, type Schema, typesOf } from '../lib/schema-path.ts'

/** Keywords that say what a value is, and not only how it is narrowed. */
const TELLING = [
  'type',
  'properties',
  'items',
  'prefixItems',
  'const',
  'enum',
  'oneOf',
  'anyOf',
  'allOf',
  '$ref',
]

/**
 * The schemas that hold for a value, with the only choice of `oneOf` and `anyOf` that is not null and not impossible. A
 * list whose choices only narrow, such as by `required`, is left out. Null: the value is one of several.
 */
export function withOnlyChoices(
  root: unknown,
  schemas: readonly Schema[],
): readonly Schema[] | null {
  let joined = schemas
  const done = new Set<unknown>()
  // Each round ends a list; the number is bounded by the lists of the document.
  for (;;) {
    const list = joined.flatMap(listsOf).find((one) => !done.has(one))
    if (list === undefined) return joined
    done.add(list)
    if (!list.some(isTelling)) continue
    const [only, ...others] = possible(root, list)
    if (others.length > 0) return null
    if (only !== undefined) joined = placeOf(root, [...joined, only], true)?.schemas ?? joined
  }
}

function listsOf(schema: Schema): (readonly unknown[])[] {
  return [listAt(schema, 'oneOf'), listAt(schema, 'anyOf')].filter((list) => list.length > 0)
}

function possible(root: unknown, list: readonly unknown[]): unknown[] {
  return list.filter((choice) => {
    const place = placeOf(root, [choice], true)
    return place !== null && [...typesOf(place.schemas)].some((type) => type !== 'null')
  })
}

function isTelling(choice: unknown): boolean {
  return isSchema(choice) && TELLING.some((keyword) => choice[keyword] !== undefined)
}
