const FIRST_DELAY_MS = 250
const MAX_DELAY_MS = 5_000

/**
 * How long to wait after this many tries: the delay doubles from 250 ms to 5 s, less up to half of it, so that clients
 * that failed together do not come back together. `Retry-After` is a minimum.
 */
export function delayMs(
  tries: number,
  retryAfter: string | null,
  now = Date.now(),
  jitter = Math.random(),
): number {
  const delay = Math.min(FIRST_DELAY_MS * 2 ** (tries - 1), MAX_DELAY_MS) * (1 - jitter / 2)
  const minimum = retryAfterMs(retryAfter, now)
  return minimum > 0 ? minimum + Math.min(delay, FIRST_DELAY_MS) : delay
}

/** Seconds or a date (RFC 9110, section 10.2.3). Anything else is no delay. */
function retryAfterMs(text: string | null, now: number): number {
  if (text === null) return 0
  if (/^\d+$/.test(text.trim())) return Number(text) * 1_000
  const at = Date.parse(text)
  return Number.isNaN(at) ? 0 : at - now
}
