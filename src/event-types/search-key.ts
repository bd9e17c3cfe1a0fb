import { z } from 'zod'
import type { Sql } from '../db/client.ts'
import { didYouMean } from '../lib/did-you-mean.ts'
import { fieldIssue, invalid } from '../lib/errors.ts'
import type { IssueCode } from '../lib/issue-codes.ts'
import { MAX_PATH_LENGTH, parsePath, printPath } from '../lib/json-path.ts'

/** The search keys of an event type. */
export const MAX_SEARCH_KEYS = 8

/** The characters of a value that can be found. Longer values are not indexed. */
export const MAX_VALUE_LENGTH = 200

/** Postgres reads such a name as the index of an array. */
const INTEGER = /^\s*[+-]?\d+$/

/**
 * A path of a search key in its normal form, such as `$.order.id`, `$.items[0].sku` or `$['order-id']`: a singular query
 * of JSONPath (RFC 9535). Null if the text is no such path.
 */
export function normalPath(text: string): string | null {
  const steps = parsePath(text)
  if (steps === null || steps.length === 0) return null
  const isPossible = steps.every(
    (step) => 'index' in step || ('name' in step && !INTEGER.test(step.name)),
  )
  return isPossible ? printPath(steps) : null
}

export const PATH_RULE = `must be a path such as $.order.id, $.items[0].sku or $["order-id"], of at most ${MAX_PATH_LENGTH} characters`

/** The search keys of an event type, in their normal form and without repetitions. */
export const searchKeysRule = z
  .array(z.string('must be a string'), 'must be a list of paths')
  .max(MAX_SEARCH_KEYS, `must have at most ${MAX_SEARCH_KEYS} paths`)
  .transform((paths, context) => {
    const normal = paths.map((text, index) => {
      const path = normalPath(text)
      if (path !== null) return path
      context.addIssue({
        code: 'custom',
        path: [index],
        message: PATH_RULE,
        params: { code: 'invalid_path' },
        input: text,
      })
      return ''
    })
    return [...new Set(normal)]
  })

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
  field: 'filter.key' | 'searchKey' = 'filter.key',
): Promise<SearchKey> {
  const wrong = (part: keyof SearchKey, code: IssueCode, rule: string) =>
    invalid([fieldIssue([...field.split('.'), part], code, rule)])
  const normal = normalPath(path)
  if (normal === null) throw wrong('path', 'invalid_path', `${PATH_RULE}.`)
  // Postgres counts characters, not UTF-16 units.
  const isTooLong = equals.length > 2 * MAX_VALUE_LENGTH || [...equals].length > MAX_VALUE_LENGTH
  if (isTooLong || equals.includes('\0')) {
    const rule = `must have at most ${MAX_VALUE_LENGTH} characters, none of them NUL: no other value is indexed.`
    throw wrong('equals', 'invalid_length', rule)
  }
  const { rows } = await sql.query<{ path: string }>({
    name: 'find_search_keys',
    text: 'select distinct unnest(search_keys) as path from posthorn.event_types order by 1',
  })
  const known = rows.map((row) => row.path)
  if (known.includes(normal)) return { path: normal, equals }
  const rule = `must be a search key of an event type.${didYouMean(normal, known) || listed(known)}`
  throw wrong('path', 'unknown_search_key', rule)
}

function listed(known: readonly string[]): string {
  if (known.length === 0) return ' No event type has one; add it with updateEventType.'
  const more = known.length > MAX_LISTED ? `, and ${known.length - MAX_LISTED} more` : ''
  return ` The search keys are ${known.slice(0, MAX_LISTED).join(', ')}${more}.`
}
