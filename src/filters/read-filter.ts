import { type FieldIssue, fieldIssue } from '../lib/errors.ts'
import { type ExactJson, parseExactJson, printExactJson } from '../lib/exact-json.ts'
import { printPath } from '../lib/json-path.ts'
import { checkFilter } from './check-filter.ts'
import { type Filter, MAX_LEAVES, MAX_VALUE_BYTES } from './filter.ts'

/** No filter with values of the allowed size is longer. */
const MAX_CHARACTERS = 4 * MAX_LEAVES * MAX_VALUE_BYTES

/** Reads a filter from the text of its JSON. `at` is the path of the filter in the input. */
export function readFilter(
  text: string,
  at: FieldIssue['path'],
): { filter: Filter | null; issues: FieldIssue[] } {
  if (text.length > MAX_CHARACTERS) {
    const rule = `must have at most ${MAX_CHARACTERS.toLocaleString('en')} characters.`
    return { filter: null, issues: [fieldIssue(at, 'too_long', rule)] }
  }
  try {
    return checkFilter(parseExactJson(text), at)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    const rule = `must be JSON, such as {"path":"$.total","op":"greater","value":100}: ${error.message}.`
    return { filter: null, issues: [fieldIssue(at, 'malformed', rule)] }
  }
}

/** A filter that was stored. */
export function parseStoredFilter(text: string): Filter {
  const { filter, issues } = readFilter(text, ['filter'])
  if (filter) return filter
  throw new Error(`A stored filter cannot be read: ${issues.map(({ detail }) => detail).join(' ')}`)
}

/** The text of a filter's JSON, in its normal form. */
export function printFilter(filter: Filter): string {
  return printExactJson(toJson(filter))
}

function toJson(filter: Filter): ExactJson {
  if ('all' in filter) return { all: filter.all.map(toJson) }
  if ('any' in filter) return { any: filter.any.map(toJson) }
  if ('not' in filter) return { not: toJson(filter.not) }
  return { ...filter, path: printPath(filter.path) }
}
