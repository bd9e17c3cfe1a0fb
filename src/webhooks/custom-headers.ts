import type { z } from 'zod'
import type { IssueCode } from '../lib/issue-codes.ts'

/** The default prefix of the names of Posthorn's delivery headers. */
export const DEFAULT_HEADER_PREFIX = 'wh-'

export const MAX_HEADERS = 32
const MAX_HEADERS_BYTES = 8 * 1024

/** RFC 9110, section 5.6.2. */
export const HEADER_NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
/** Visible ASCII. Spaces and tabs only between visible characters. */
export const HEADER_VALUE = /^[!-~]([\t -~]*[!-~])?$/

/**
 * Headers that Posthorn or the connection sets. A name that ends in `-` is a prefix. `traceparent` comes from each event; a
 * fixed `tracestate` would not match. With another header prefix, an attempt leaves out custom headers of the same names.
 */
const RESERVED: readonly string[] = [
  DEFAULT_HEADER_PREFIX,
  'webhook-',
  'content-',
  'proxy-',
  'host',
  'connection',
  'transfer-encoding',
  'te',
  'trailer',
  'upgrade',
  'keep-alive',
  'expect',
  'user-agent',
  'accept-encoding',
  'traceparent',
  'tracestate',
]

const NAME_RULE =
  'must have a name of letters, digits and the symbols that HTTP allows in header names'
const VALUE_RULE = 'must be visible ASCII, with spaces and tabs only between visible characters'
const IS_RESERVED = 'is set by Posthorn or by the connection. Use another name'

/** Some servers read `_` in a name as `-`. */
function isReserved(name: string): boolean {
  const read = name.toLowerCase().replaceAll('_', '-')
  return RESERVED.some((one) => (one.endsWith('-') ? read.startsWith(one) : read === one))
}

/** Checks the custom headers of a webhook, and reports every invalid one. */
export function checkCustomHeaders(
  headers: Readonly<Record<string, string>>,
  context: z.RefinementCtx<unknown>,
): void {
  const names = Object.keys(headers)
  const seen = new Map<string, string>()
  const report = (name: string | null, code: IssueCode, message: string) =>
    context.addIssue({
      code: 'custom',
      path: name === null ? [] : [name],
      params: { code },
      message,
    })

  if (names.length > MAX_HEADERS) {
    report(null, 'too_many', `must have at most ${MAX_HEADERS} entries, not ${names.length}`)
  }
  for (const [name, value] of Object.entries(headers)) {
    const lower = name.toLowerCase()
    const twin = seen.get(lower)
    if (!HEADER_NAME.test(name)) report(name, 'invalid_header_name', NAME_RULE)
    else if (isReserved(name)) report(name, 'reserved_header', IS_RESERVED)
    else if (twin !== undefined) {
      const rule = `is the same header as ${JSON.stringify(twin)}, because names are case-insensitive`
      report(name, 'duplicate_header', rule)
    }
    if (!HEADER_VALUE.test(value)) report(name, 'invalid_header_value', VALUE_RULE)
    seen.set(lower, name)
  }
  const bytes = names.reduce((sum, name) => sum + name.length + (headers[name]?.length ?? 0), 0)
  if (bytes > MAX_HEADERS_BYTES) {
    const rule = `must have at most ${MAX_HEADERS_BYTES} bytes of names and values, not ${bytes}`
    report(null, 'too_large', rule)
  }
}
