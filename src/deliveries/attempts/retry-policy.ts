import type { Outcome } from '../../outbound/outcome.ts'

/** A receiver can put off the next attempt by this much at most. */
export const MAX_RETRY_AFTER_MS = 24 * 60 * 60 * 1_000

/** The most that chance adds to a delay, as a fraction of it. It never subtracts. */
const JITTER = 0.1

/** Whether an attempt succeeded: an answer with 2xx, and nothing else. */
export function isSuccess(outcome: Outcome): boolean {
  return outcome.kind === 'answered' && outcome.status >= 200 && outcome.status <= 299
}

/**
 * How long after a failed attempt the next one is made, in milliseconds, or `null` to give up. `outcome` is null where
 * nothing was sent.
 * `used` counts the attempts of the schedule that were made, this one included; `jitter` is from 0 to 1, passed in so
 * that a test can fix it.
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
  const scheduledMs = Math.round(delayMs * (1 + jitter * JITTER))
  const retryAfter = outcome?.kind === 'answered' ? outcome.retryAfter : null
  return Math.max(scheduledMs, retryAfterMs(retryAfter, now))
}

/** `Retry-After` (RFC 9110, section 10.2.3) in milliseconds, bounded; 0 when it says nothing that can be used. */
export function retryAfterMs(header: string | null, now: Date): number {
  if (header === null) return 0
  const text = header.trim()
  const delayMs = /^\d+$/.test(text) ? Number(text) * 1_000 : httpDateMs(text) - now.getTime()
  if (!(delayMs > 0)) return 0
  return Math.min(delayMs, MAX_RETRY_AFTER_MS)
}

const HTTP_DATE = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? .*\d{2}:\d{2}:\d{2}/

/** The three forms of a date in HTTP, which `Date.parse` all reads, as UTC where they do not say GMT. */
function httpDateMs(text: string): number {
  if (!HTTP_DATE.test(text)) return Number.NaN
  return Date.parse(/GMT$/.test(text) ? text : `${text} GMT`)
}
