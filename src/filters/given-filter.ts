import { fieldIssue, invalid } from '../lib/errors.ts'

/** A filter as callers of GraphQL give it: as JSON, or as the text of its JSON. */
export interface GivenFilter {
  readonly filter?: unknown
  readonly filterText?: string | null | undefined
}

/** The text of a given filter. Null removes a filter, and undefined is none. Throws `invalid` if it is given twice. */
export function textOfFilter({ filter, filterText }: GivenFilter): string | null | undefined {
  if (typeof filterText !== 'string') {
    if (filter === undefined) return filterText
    return filter === null ? null : JSON.stringify(filter)
  }
  if (filter === undefined || filter === null) return filterText
  throw invalid([
    fieldIssue(['filterText'], 'ambiguous', 'is given beside filter. Send one of them.'),
  ])
}
