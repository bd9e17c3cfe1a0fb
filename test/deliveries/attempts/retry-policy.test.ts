import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { SETTINGS } from '../../../src/config/config.ts'
import { parseRetrySchedule } from '../../../src/config/setting-parsers.ts'
import { isSuccess, retryDelayMs, waitMs } from '../../../src/deliveries/attempts/retry-policy.ts'
import type { Outcome } from '../../../src/outbound/outcome.ts'

const now = new Date('2026-03-01T12:00:00Z')
const schedule = parseRetrySchedule(SETTINGS.POSTHORN_RETRY_SCHEDULE)
const HOUR = 3_600_000

const MEASURED = { durationMs: 1, resent: false, connection: null }

describe('the default schedule', () => {
  test.each([
    [1, 5_000],
    [4, 2 * HOUR],
    [8, 20 * HOUR],
    [9, 24 * HOUR],
    [10, null],
  ])('after attempt %i waits %s ms', (used, expected) => {
    expect(retryDelayMs(used, answered(500), schedule, now, 0)).toBe(expected)
  })

  test('an empty schedule gives up after the first attempt', () => {
    expect(retryDelayMs(1, answered(500), [], now)).toBeNull()
  })
})

test('jitter adds at most a tenth, and never shortens a delay', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 0, max: 7 * 24 * HOUR }), { minLength: 1, maxLength: 50 }),
      fc.nat(),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (delays, position, jitter) => {
        const used = (position % delays.length) + 1
        const delay = delays[used - 1] as number
        const chosen = retryDelayMs(used, answered(503), delays, now, jitter) as number
        expect(chosen).toBeGreaterThanOrEqual(delay)
        expect(chosen).toBeLessThanOrEqual(Math.ceil(delay * 1.1))
      },
    ),
  )
})

describe('Retry-After', () => {
  test.each([429, 500, 503])('with %i delays the next attempt', (status) => {
    expect(retryDelayMs(1, answered(status, '60'), schedule, now, 0)).toBe(60_000)
  })

  test('never shortens a delay', () => {
    expect(retryDelayMs(2, answered(503, '1'), schedule, now, 0)).toBe(300_000)
  })

  test.each([
    [429, '60', 60_000, 66_000],
    [503, 'Sun, 01 Mar 2026 12:01:00 GMT', 60_000, 66_000],
    [503, '0', 0, 0],
    [429, null, 0, 0],
    [500, '60', 0, 0],
    [200, '60', 0, 0],
  ])('%i with %s asks to send nothing for %i to %i ms', (status, header, least, most) => {
    expect(waitMs(answered(status, header), now, 0)).toBe(least)
    expect(waitMs(answered(status, header), now, 1)).toBe(most)
  })

  test('has jitter once: that of the probe if the webhook waits, else that of the delivery', () => {
    expect(retryDelayMs(1, answered(429, '60'), schedule, now, 1)).toBe(60_000)
    expect(retryDelayMs(1, answered(500, '60'), schedule, now, 1)).toBe(66_000)
  })
})

type Case = [what: string | number, outcome: Outcome, isSuccess: boolean]
const failed = { reason: '', ...MEASURED }
test.each<Case>([
  ...[200, 201, 202, 204, 299].map((status): Case => [status, answered(status), true]),
  ...[300, 301, 304, 400, 401, 404, 410, 429, 500, 503].map((status): Case => {
    return [status, answered(status), false]
  }),
  ['a timeout', { kind: 'failed', code: 'response_timed_out', ...failed }, false],
  ['a connection error', { kind: 'failed', code: 'connection_refused', ...failed }, false],
])('contract 7.1: %s is a success: %3$s', (_what, outcome, expected) => {
  expect(isSuccess(outcome)).toBe(expected)
})

function answered(status: number, retryAfter: string | null = null): Outcome {
  const content = { headers: {}, body: Buffer.alloc(0), bodyTruncated: false, firstByteMs: 1 }
  return { kind: 'answered', status, retryAfter, ...content, ...MEASURED }
}
