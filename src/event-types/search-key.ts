import { z } from 'zod'

/** The search keys of an event type. */
export const MAX_SEARCH_KEYS = 8

/** The characters of a path, and those of a value that can be found. Longer values are not indexed. */
const MAX_PATH_LENGTH = 200
export const MAX_VALUE_LENGTH = 200

/** One step of a path: `.name`, `[0]`, `['name']` or `["name"]`. */
const STEP =
  /\.([\p{L}_][\p{L}\p{N}_]*)|\[(0|[1-9]\d{0,5})\]|\['([^'"\\[\]\p{Cc}]+)'\]|\["([^'"\\[\]\p{Cc}]+)"\]/uy

const SIMPLE_NAME = /^[\p{L}_][\p{L}\p{N}_]*$/u

/** Postgres reads such a name as the index of an array. */
const INTEGER = /^\s*[+-]?\d+$/

/**
 * A path of a search key in its normal form, such as `$.order.id`, `$.items[0].sku` or `$['order-id']`: a singular query
 * of JSONPath (RFC 9535). Null if the text is no such path.
 */
export function normalPath(text: string): string | null {
  if (!text.startsWith('$') || text.length === 1 || text.length > MAX_PATH_LENGTH) return null
  let path = '$'
  STEP.lastIndex = 1
  while (STEP.lastIndex < text.length) {
    const step = STEP.exec(text)
    if (!step) return null
    const [, dotted, index, single, double] = step
    const name = dotted ?? single ?? double
    if (name !== undefined && INTEGER.test(name)) return null
    if (name === undefined) path += `[${index}]`
    else path += SIMPLE_NAME.test(name) ? `.${name}` : `['${name}']`
  }
  return path
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
