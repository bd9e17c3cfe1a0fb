import type { Outcome } from '../../outbound/outcome.ts'

/** The longest delay that a receiver can set with `Retry-After`. */
export const MAX_RETRY_AFTER_MS = 24 * 60 * 60 * 1_000

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
  const scheduledMs = Math.round(delayMs * (1 + jitter * MAX_JITTER))
  const retryAfter = outcome?.kind === 'answered' ? outcome.retryAfter : null
  return Math.max(scheduledMs, retryAfterMs(retryAfter, now))
}

/** `Retry-After` (RFC 9110, section 10.2.3) in milliseconds, at most `MAX_RETRY_AFTER_MS`. 0 if missing or invalid. */
export function retryAfterMs(header: string | null, now: Date): number {
  if (header === null) return 0
  const text = header.trim()
  const delayMs = /^\d+$/.test(text) ? Number(text) * 1_000 : httpDateMs(text) - now.getTime()
  if (!(delayMs > 0)) return 0
  return Math.min(delayMs, MAX_RETRY_AFTER_MS)
}

const HTTP_DATE = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? .*\d{2}:\d{2}:\d{2}/

/** `Date.parse` reads all three date formats of HTTP, but takes those without GMT for local time. */
function httpDateMs(text: string): number {
  if (!HTTP_DATE.test(text)) return Number.NaN
  return Date.parse(/GMT$/.test(text) ? text : `${text} GMT`)
}
