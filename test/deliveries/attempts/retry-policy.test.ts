import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { SETTINGS } from '../../../src/config/config.ts'
import { parseRetrySchedule } from '../../../src/config/setting-parsers.ts'
import {
  isSuccess,
  MAX_RETRY_AFTER_MS,
  retryAfterMs,
  retryDelayMs,
} from '../../../src/deliveries/attempts/retry-policy.ts'
import type { Outcome } from '../../../src/outbound/outcome.ts'

const now = new Date('2026-03-01T12:00:00Z')
const schedule = parseRetrySchedule(SETTINGS.POSTHORN_RETRY_SCHEDULE)
const HOUR = 3_600_000

const MEASURED = { durationMs: 1, waitedMs: 0, resent: false, connection: null }

describe('the default schedule', () => {
  test.each([
    [1, 5_000],
    [2, 5 * 60_000],
    [3, 30 * 60_000],
    [4, 2 * HOUR],
    [5, 5 * HOUR],
    [6, 10 * HOUR],
    [7, 14 * HOUR],
    [8, 20 * HOUR],
    [9, 24 * HOUR],
  ])('after attempt %i waits %i ms', (used, expected) => {
    expect(retryDelayMs(used, answered(500), schedule, now, 0)).toBe(expected)
  })

  test('gives up after the tenth attempt', () => {
    expect(retryDelayMs(10, answered(500), schedule, now)).toBeNull()
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
  test.each([
    ['seconds', '120', 120_000],
    ['an HTTP date', 'Sun, 01 Mar 2026 12:02:00 GMT', 120_000],
    ['the obsolete RFC 850 form', 'Sunday, 01-Mar-26 12:02:00 GMT', 120_000],
    ['the obsolete asctime form', 'Sun Mar  1 12:02:00 2026', 120_000],
    ['a date that has passed', 'Sun, 01 Mar 2026 11:00:00 GMT', 0],
    ['zero', '0', 0],
    ['a negative number', '-5', 0],
    ['a fraction', '1.5', 0],
    ['nonsense', 'soon', 0],
    ['nothing', '', 0],
    ['two days, which is bounded', '172800', MAX_RETRY_AFTER_MS],
    ['an absurd number, which is bounded', '9'.repeat(400), MAX_RETRY_AFTER_MS],
  ])('%s: %s', (_case, header, expected) => {
    expect(retryAfterMs(header, now)).toBe(expected)
  })

  test('delays the next attempt', () => {
    expect(retryDelayMs(1, answered(429, '60'), schedule, now, 0)).toBe(60_000)
  })

  test('never shortens a delay', () => {
    expect(retryDelayMs(2, answered(503, '1'), schedule, now, 0)).toBe(300_000)
  })

  test('adds no attempt to the schedule', () => {
    expect(retryDelayMs(10, answered(503, '60'), schedule, now)).toBeNull()
  })

  test('gives a finite delay of at most a day for any value', () => {
    fc.assert(
      fc.property(fc.string(), (header) => {
        const delay = retryAfterMs(header, now)
        expect(delay).toBeGreaterThanOrEqual(0)
        expect(delay).toBeLessThanOrEqual(MAX_RETRY_AFTER_MS)
      }),
    )
  })
})

describe('contract 7.1', () => {
  test.each([200, 201, 202, 204, 299])('%i is success', (status) => {
    expect(isSuccess(answered(status))).toBe(true)
  })

  test.each([300, 301, 304, 400, 401, 404, 410, 429, 500, 503])('%i is failure', (status) => {
    expect(isSuccess(answered(status))).toBe(false)
  })

  test('a timeout is failure', () => {
    const outcome: Outcome = {
      kind: 'timed-out',
      phase: 'response',
      afterMs: 1,
      reason: '',
      ...MEASURED,
    }
    expect(isSuccess(outcome)).toBe(false)
  })

  test('a connection error is failure', () => {
    const outcome: Outcome = {
      kind: 'unreachable',
      code: 'connection_refused',
      reason: '',
      ...MEASURED,
    }
    expect(isSuccess(outcome)).toBe(false)
  })
})

function answered(status: number, retryAfter: string | null = null): Outcome {
  return {
    kind: 'answered',
    status,
    headers: {},
    body: Buffer.alloc(0),
    bodyTruncated: false,
    firstByteMs: 1,
    retryAfter,
    ...MEASURED,
  }
}
