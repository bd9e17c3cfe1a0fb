import type { Outcome } from '../../outbound/outcome.ts'

/** Jitter adds up to this fraction of a delay. It never shortens a delay. */
const MAX_JITTER = 0.1

/** Whether an attempt succeeded: only a 2xx response is a success. */
export function isSuccess(outcome: Outcome): boolean {
  return outcome.kind === 'answered' && outcome.status >= 200 && outcome.status <= 299
}

/**
 * Milliseconds from a failed attempt to the next one, or `null` to give up. `used` is the number of attempts of the
 * schedule so far, including this one. `outcome` is null if nothing was sent. `jitter` is from 0 to 1, so that a test
 * can fix it.
 */
export function retryDelayMs(
  used: number,
  outcome: Outcome | null,
  scheduleMs: readonly number[],
  now: Date,
  jitter = Math.random(),
): number | null {
  const delayMs = scheduleMs[used - 1]
  if (delayMs === undefined) return null
  const scheduledMs = withJitter(delayMs, jitter)
  const askedMs = askedDelayMs(outcome, now)
  // The probe of a webhook that waits has jitter. Its deliveries are parked until then.
  return Math.max(scheduledMs, asksToWait(outcome) ? askedMs : withJitter(askedMs, jitter))
}

/**
 * How long an endpoint asks Posthorn to send nothing at all, with jitter: `Retry-After` in a response 429 or 503. 0 if the
 * endpoint does not ask for that.
 */
export function waitMs(outcome: Outcome, now: Date, jitter = Math.random()): number {
  return asksToWait(outcome) ? withJitter(askedDelayMs(outcome, now), jitter) : 0
}

/** 429 and 503 are about the endpoint. With another status, `Retry-After` is about one delivery. */
function asksToWait(outcome: Outcome | null): boolean {
  return outcome?.kind === 'answered' && (outcome.status === 429 || outcome.status === 503)
}

function askedDelayMs(outcome: Outcome | null, now: Date): number {
  return outcome?.kind === 'answered' ? retryAfterMs(outcome.retryAfter, now) : 0
}

function withJitter(delayMs: number, jitter: number): number {
  return Math.round(delayMs * (1 + jitter * MAX_JITTER))
}

/** The longest delay that a receiver can set with `Retry-After`. */
export const MAX_RETRY_AFTER_MS = 24 * 60 * 60 * 1_000

/**
 * `Retry-After` in milliseconds from `now`, at most `MAX_RETRY_AFTER_MS`; 0 if it is missing, past or not readable. RFC
 * 9110, section 10.2.3, allows whole seconds and HTTP dates. Receivers also send fractions (`0.5`), Unix time and
 * ISO 8601 dates. Of several values, the longest counts.
 */
export function retryAfterMs(header: string | null, now: Date): number {
  if (header === null) return 0
  const delays = header.split(BETWEEN_VALUES).map((value) => delayMs(value.trim(), now))
  const longestMs = Math.max(0, ...delays.filter((ms) => !Number.isNaN(ms)))
  return Math.min(Math.ceil(longestMs), MAX_RETRY_AFTER_MS)
}

/** Repeated headers are joined with commas. The comma after the day of an HTTP date is not one of these. */
const BETWEEN_VALUES = /(?<!\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]{0,6}),/i

const NUMBER = /^(?:\d+(?:\.\d*)?|\.\d+)$/

function delayMs(value: string, now: Date): number {
  if (NUMBER.test(value)) return numberMs(Number(value), now)
  return dateMs(value) - now.getTime()
}

/** Numbers of 31 years and more are Unix time. */
const MIN_UNIX_SECONDS = 1e9
const MIN_UNIX_MS = 1e12

function numberMs(value: number, now: Date): number {
  if (value >= MIN_UNIX_MS) return value - now.getTime()
  return value >= MIN_UNIX_SECONDS ? value * 1_000 - now.getTime() : value * 1_000
}

const HTTP_DATE = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? .*\d{2}:\d{2}:\d{2}/i
const ISO_DATE = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}/i
const ZONE = /(?:GMT|UTC?|Z|[+-]\d{2}:?\d{2})$/i

/** `Date.parse` reads all these dates, but takes those without a zone for local time. */
function dateMs(text: string): number {
  if (!HTTP_DATE.test(text) && !ISO_DATE.test(text)) return Number.NaN
  return Date.parse(ZONE.test(text) ? text : `${text}${ISO_DATE.test(text) ? 'Z' : ' GMT'}`)
}
