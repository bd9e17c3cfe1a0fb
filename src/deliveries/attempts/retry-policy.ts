import type { Outcome } from '../../outbound/outcome.ts'
import { retryAfterMs } from './retry-after.ts'

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
