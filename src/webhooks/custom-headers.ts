import type { z } from 'zod'

export const MAX_HEADERS = 32
export const MAX_HEADERS_BYTES = 8 * 1024

/** RFC 9110, section 5.6.2. */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
/** Visible ASCII, with spaces and tabs inside only. */
const VALUE = /^[!-~]([\t -~]*[!-~])?$/

/** Names that the service itself or the connection decides. A name that ends in `-` stands for all that begin so. */
const RESERVED = [
  'wh-',
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
] as const

/** Checks the static headers of a webhook (DESIGN: custom headers), reporting every one that breaks a rule. */
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
    } else if (
      RESERVED.some((known) => (known.endsWith('-') ? lower.startsWith(known) : lower === known))
    ) {
      report(
        name,
        'reserved_header',
        'is set by the service or the connection itself; use another name',
      )
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
