import type { z } from 'zod'
import type { FieldIssue } from '../lib/errors.ts'

/** What the names of the service's own delivery headers begin with, unless the operator chose something else. */
export const DEFAULT_HEADER_PREFIX = 'wh-'

export const MAX_HEADERS = 32
export const MAX_HEADERS_BYTES = 8 * 1024

/** RFC 9110, section 5.6.2. */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
/** Visible ASCII, with spaces and tabs inside only. */
const VALUE = /^[!-~]([\t -~]*[!-~])?$/

/** What the service itself or the connection decides. A name that ends in `-` stands for all that begin so. */
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
]

const IS_SET = 'is set by the service or the connection itself; use another name'

/** The trace context is that of each event; `tracestate` would be of another trace than its `traceparent`. */
const RESERVED_SINCE: readonly string[] = ['accept-encoding', 'traceparent', 'tracestate']

/**
 * Names that were not reserved from the beginning, or are by the operator's choice of a prefix: webhooks may have them
 * already, and keep them. An attempt leaves out what it sets itself (src/deliveries/attempts/signed-request.ts).
 */
export function reservedNameIssues(
  headers: Readonly<Record<string, unknown>>,
  headerPrefix: string,
  existingHeaderNames: readonly string[],
): FieldIssue[] {
  const reserved = [...RESERVED_SINCE, headerPrefix]
  const kept = new Set(existingHeaderNames.map((name) => name.toLowerCase()))
  return Object.keys(headers)
    .filter((name) => isAmong(reserved, name) && !isAmong(RESERVED, name))
    .filter((name) => !kept.has(name.toLowerCase()))
    .map((name) => ({
      path: ['headers', name],
      code: 'reserved_header',
      detail: `headers.${name} ${IS_SET}.`,
    }))
}

function isAmong(reserved: readonly string[], name: string): boolean {
  const lower = name.toLowerCase()
  return reserved.some((one) => (one.endsWith('-') ? lower.startsWith(one) : lower === one))
}

/** Checks the static headers of a webhook, reporting every one that breaks a rule. */
export function checkCustomHeaders(
  headers: Readonly<Record<string, string>>,
  context: z.RefinementCtx<unknown>,
): void {
  const names = Object.keys(headers)
  const seen = new Map<string, string>()
  const report = (name: string | null, code: string, message: string) =>
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
    if (!TOKEN.test(name)) {
      report(
        name,
        'invalid_header_name',
        'must be named with letters, digits and the signs that HTTP allows in a name',
      )
    } else if (isAmong(RESERVED, name)) {
      report(name, 'reserved_header', IS_SET)
    } else if (twin !== undefined) {
      report(
        name,
        'duplicate_header',
        `is the same header as ${JSON.stringify(twin)}: names do not differ by case`,
      )
    }
    if (!VALUE.test(value)) {
      report(
        name,
        'invalid_header_value',
        'must be visible ASCII, with spaces and tabs only inside',
      )
    }
    seen.set(lower, name)
  }
  const bytes = names.reduce((sum, name) => sum + name.length + (headers[name]?.length ?? 0), 0)
  if (bytes > MAX_HEADERS_BYTES) {
    report(
      null,
      'too_large',
      `must have at most ${MAX_HEADERS_BYTES} bytes of names and values, not ${bytes}`,
    )
  }
}
