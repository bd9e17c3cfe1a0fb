import type { Sql } from '../db/client.ts'
import { didYouMean } from '../lib/did-you-mean.ts'
import { type FieldIssue, invalid } from '../lib/errors.ts'
import type { IssueCode } from '../lib/issue-codes.ts'
import { MAX_VALUE_LENGTH, normalPath, PATH_RULE } from './search-key.ts'

/** A value at a path in the data of an event. */
export interface SearchKey {
  /** In its normal form. */
  readonly path: string
  readonly equals: string
}

/** Paths that an error lists. */
const MAX_LISTED = 20

/** Returns a search key with its path in the normal form. Throws `invalid` if no event type has the path. */
export async function findSearchKey(
  sql: Sql,
  { path, equals }: SearchKey,
  field: Argument = 'filter.key',
): Promise<SearchKey> {
  const issue = issueOf(field)
  const normal = normalPath(path)
  if (normal === null) throw invalid([issue('path', 'invalid_path', `${PATH_RULE}.`)])
  // Postgres counts characters, not UTF-16 units.
  const isTooLong = equals.length > 2 * MAX_VALUE_LENGTH || [...equals].length > MAX_VALUE_LENGTH
  if (isTooLong || equals.includes('\0')) {
    const rule = `must have at most ${MAX_VALUE_LENGTH} characters, none of them NUL: no other value is indexed.`
    throw invalid([issue('equals', 'invalid_length', rule)])
  }
  const { rows } = await sql.query<{ path: string }>({
    name: 'find_search_keys',
    text: 'select distinct unnest(search_keys) as path from posthorn.event_types order by 1',
  })
  const known = rows.map((row) => row.path)
  if (known.includes(normal)) return { path: normal, equals }
  const rule = `must be a search key of an event type.${didYouMean(normal, known) || listed(known)}`
  throw invalid([issue('path', 'unknown_search_key', rule)])
}

function listed(known: readonly string[]): string {
  if (known.length === 0) return ' No event type has one; add it with updateEventType.'
  const more = known.length > MAX_LISTED ? `, and ${known.length - MAX_LISTED} more` : ''
  return ` The search keys are ${known.slice(0, MAX_LISTED).join(', ')}${more}.`
}

type Argument = 'filter.key' | 'searchKey'

function issueOf(argument: Argument) {
  return (field: keyof SearchKey, code: IssueCode, rule: string): FieldIssue => {
    const detail = `${argument}.${field} ${rule}`
    return { path: [...argument.split('.'), field], code, detail }
  }
}
