import type { Filter } from '../../events/filters/filter.ts'
import { type GivenFilter, printFilter, readGivenFilter } from '../../events/filters/read-filter.ts'
import { type FieldIssue, fieldIssue, invalid } from '../../lib/errors.ts'

/** What a reader asks for. */
export interface EventSelection {
  /** Names and patterns of event types. Null: all types, without those of Posthorn itself. */
  readonly types: readonly string[] | null
  readonly filter: Filter | null
}

export interface GivenSelection extends GivenFilter {
  readonly types?: readonly string[] | null | undefined
}

const MAX_TYPES = 100
const NAME = /^(\*|[a-zA-Z0-9_-]+(\.[a-zA-Z0-9_-]+)*(\.\*)?)$/
const MAX_NAME_LENGTH = 128

/** Reads what a caller gives. Throws `invalid`. A type that the catalogue does not have yet is one that may come. */
export function readSelection(given: GivenSelection): EventSelection {
  const issues: FieldIssue[] = checkTypes(given.types ?? [])
  const { filter, issues: ofFilter } = readGivenFilter(given)
  issues.push(...ofFilter)
  if (issues.length > 0) throw invalid(issues)
  const types = [...new Set(given.types)]
  return { types: types.length > 0 ? types : null, filter }
}

function checkTypes(types: readonly string[]): FieldIssue[] {
  if (types.length > MAX_TYPES) {
    const rule = `must have at most ${MAX_TYPES} entries, not ${types.length.toLocaleString('en')}.`
    return [fieldIssue(['types'], 'too_many', rule)]
  }
  return types.flatMap((type, i) =>
    NAME.test(type) && type.length <= MAX_NAME_LENGTH
      ? []
      : [
          fieldIssue(
            ['types', i],
            'invalid_argument',
            'must be the name of an event type, or a pattern such as order.* or *.',
          ),
        ],
  )
}

export function printSelectionFilter({ filter }: EventSelection): string | null {
  return filter && printFilter(filter)
}
