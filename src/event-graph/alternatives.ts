import { isSchema, listAt, placeOf, type Schema, typesOf } from '../lib/schema-path.ts'

/** What holds for a value: schemas of which all hold, and the list of which one holds. */
export interface Shape {
  readonly schemas: readonly Schema[]
  /** Null: there is no such list, or none that says more than the schemas. */
  readonly choices: readonly unknown[] | null
  /** There are several lists, which are not read. */
  readonly isUnclear: boolean
}

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
 * Joins what holds for a value. Of `oneOf` and `anyOf`, null and what is impossible are left out; if one choice is left,
 * it holds. A list whose choices only narrow, such as by `required`, is left out.
 */
export function shapeOf(root: unknown, schemas: readonly Schema[]): Shape {
  let joined = schemas
  const done = new Set<unknown>()
  // Each round ends a list; the number is bounded by the lists of the document.
  for (;;) {
    const lists = joined.flatMap(listsOf).filter((list) => !done.has(list))
    const next = lists.find((list) => possible(root, list).length < 2 || !list.some(isTelling))
    if (next === undefined) {
      return {
        schemas: joined,
        choices: lists.length === 1 ? possible(root, lists[0] ?? []) : null,
        isUnclear: lists.length > 1,
      }
    }
    done.add(next)
    const [only] = next.some(isTelling) ? possible(root, next) : []
    if (only !== undefined) {
      joined = placeOf(root, [...joined, only], true)?.schemas ?? joined
    }
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

/** The schema without its lists of choices. Nothing if only they say what a value is. */
export function withoutChoices({ oneOf: _, anyOf: __, ...rest }: Schema): Schema[] {
  return isTelling(rest) ? [rest] : []
}
