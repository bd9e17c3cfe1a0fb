import { t } from '../../language/t.ts'
import { maskUrl } from '../../lib/mask-url.ts'

/** What two attempts for one webhook are compared by. */
export interface ComparedAttempt {
  readonly status: number | null
  readonly durationMs: number
  readonly url: string
  readonly eventType: string | null
  readonly requestHeaders: readonly Header[]
  readonly responseHeaders: readonly Header[]
  /** The payload, or null if it is past its retention. */
  readonly payload: unknown
}

interface Header {
  readonly name: string
  readonly value: string
}

export interface Difference {
  readonly what: string
  readonly before: string
  readonly now: string
}

/** What differs in `now` from `then`. `format` makes a duration readable. */
export function differencesOf(
  then: ComparedAttempt,
  now: ComparedAttempt,
  format: (ms: number) => string,
): Difference[] {
  return [
    pair('Status', statusOf(then), statusOf(now)),
    pair(t('Duration'), format(then.durationMs), format(now.durationMs)),
    pair('URL', maskUrl(then.url), maskUrl(now.url)),
    pair(t('Event type'), then.eventType ?? '', now.eventType ?? ''),
    ...headers('Request header', then.requestHeaders, now.requestHeaders),
    ...(now.status === null
      ? []
      : headers('Response header', then.responseHeaders, now.responseHeaders)),
    ...payloadKeys(then, now),
  ].filter((difference) => difference.before !== difference.now)
}

function pair(what: string, before: string, now: string): Difference {
  return { what, before, now }
}

function statusOf({ status }: ComparedAttempt): string {
  return status === null ? 'no response' : String(status)
}

/** Headers that differ in every attempt: they say nothing. */
const ALWAYS_DIFFERENT =
  /(-id|-timestamp|-signature|^traceparent|^tracestate|^date|^content-length|^age|^cf-ray|^etag|^x-runtime)$/

function headers(what: string, then: readonly Header[], now: readonly Header[]): Difference[] {
  const valuesOf = (list: readonly Header[]) =>
    new Map(list.map(({ name, value }) => [name.toLowerCase(), value]))
  const [before, after] = [valuesOf(then), valuesOf(now)]
  const names = new Set([...before.keys(), ...after.keys()])
  return [...names]
    .filter((name) => !ALWAYS_DIFFERENT.test(name))
    .map((name) =>
      pair(`${what} ${name}`, before.get(name) ?? 'missing', after.get(name) ?? 'missing'),
    )
}

/** Keys that only one of two payloads of the same type has. */
function payloadKeys(then: ComparedAttempt, now: ComparedAttempt): Difference[] {
  if (then.eventType !== now.eventType || then.payload == null || now.payload == null) return []
  const [before, after] = [new Set(keysOf(then.payload)), new Set(keysOf(now.payload))]
  const word = (has: boolean) => (has ? 'present' : 'missing')
  return [...new Set([...before, ...after])].map((name) =>
    pair(`Payload key ${name}`, word(before.has(name)), word(after.has(name))),
  )
}

const MAX_DEPTH = 4

/** The paths of all keys, such as `attendee.email`. The elements of a list share their paths. */
function keysOf(value: unknown, path = '', depth = 0): string[] {
  if (depth > MAX_DEPTH || value === null || typeof value !== 'object') return []
  if (Array.isArray(value)) return value.flatMap((each) => keysOf(each, `${path}[]`, depth + 1))
  return Object.entries(value).flatMap(([key, each]) => {
    const at = path === '' ? key : `${path}.${key}`
    return [at, ...keysOf(each, at, depth + 1)]
  })
}
