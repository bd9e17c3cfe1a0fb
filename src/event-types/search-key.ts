import { z } from 'zod'
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
