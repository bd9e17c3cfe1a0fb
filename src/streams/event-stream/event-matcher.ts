import { type CompiledFilter, compileFilter } from '../../events/filters/compile-filter.ts'
import { type GivenFilter, printFilter, readGivenFilter } from '../../events/filters/read-filter.ts'
import { fieldIssue, invalid } from '../../lib/errors.ts'

/** What a reader asks for. */
export interface EventSelection {
  /** Names and patterns of event types. Null: all types, without those of Posthorn itself. */
  readonly types: readonly string[] | null
  /** With its JSON. */
  readonly filter: (CompiledFilter & { readonly text: string }) | null
}

export interface GivenSelection extends GivenFilter {
  readonly types?: readonly string[] | null | undefined
}

const MAX_TYPES = 100
const NAME = /^(?=.{1,128}$)(\*|[a-zA-Z0-9_-]+(\.[a-zA-Z0-9_-]+)*(\.\*)?)$/

/** Reads what a caller gives. Throws `invalid`. A type that the catalogue does not have yet is one that may come. */
export function readSelection(given: GivenSelection): EventSelection {
  const types = [...new Set(given.types)]
  const { filter, issues: ofFilter } = readGivenFilter(given)
  const rule = 'must be the name of an event type, or a pattern such as order.* or *.'
  const ofTypes = types.flatMap((type, i) =>
    NAME.test(type) ? [] : [fieldIssue(['types', i], 'invalid_argument', rule)],
  )
  const tooMany = `must have at most ${MAX_TYPES} entries, not ${types.length.toLocaleString('en')}.`
  if (types.length > MAX_TYPES) throw invalid([fieldIssue(['types'], 'too_many', tooMany)])
  const issues = [...ofTypes, ...ofFilter]
  if (issues.length > 0) throw invalid(issues)
  return {
    types: types.length > 0 ? types : null,
    filter: filter && { ...compileFilter(filter), text: printFilter(filter) },
  }
}
