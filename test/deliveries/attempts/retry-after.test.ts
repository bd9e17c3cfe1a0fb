import fc from 'fast-check'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { MAX_RETRY_AFTER_MS, retryAfterMs } from '../../../src/deliveries/attempts/retry-policy.ts'

const now = new Date('2026-03-01T12:00:00Z')
const TWO_MINUTES = 120_000

afterEach(() => vi.unstubAllEnvs())

test.each([
  ['seconds', '120', TWO_MINUTES],
  ['a fraction', '1.5', 1_500],
  ['more than milliseconds, rounded up', '0.0001', 1],
  ['Unix time', '1772366520', TWO_MINUTES],
  ['Unix time in milliseconds', '1772366520000', TWO_MINUTES],
  ['Unix time that has passed', '1772366000', 0],
  ['a negative fraction', '-1.5', 0],
  ['an exponent', '1e3', 0],
  ['a hexadecimal number', '0x10', 0],
  ['nonsense', 'soon', 0],
  ['nothing', '', 0],
  ['two days, which is bounded', '172800', MAX_RETRY_AFTER_MS],
  ['an absurd number, which is bounded', '9'.repeat(400), MAX_RETRY_AFTER_MS],
])('reads %s: %s', (_case, header, expected) => {
  expect(retryAfterMs(header, now)).toBe(expected)
})

describe.each(['UTC', 'America/St_Johns'])('with the time zone %s', (zone) => {
  test.each([
    ['an HTTP date', 'Sun, 01 Mar 2026 12:02:00 GMT', TWO_MINUTES],
    ['no zone', 'Sun, 01 Mar 2026 12:02:00', TWO_MINUTES],
    ['another zone', 'Sun, 01 Mar 2026 07:02:00 -0500', TWO_MINUTES],
    ['the obsolete RFC 850 form', 'Sunday, 01-Mar-26 12:02:00 GMT', TWO_MINUTES],
    ['the obsolete asctime form', 'Sun Mar  1 12:02:00 2026', TWO_MINUTES],
    ['a date that has passed', 'Sun, 01 Mar 2026 11:00:00 GMT', 0],
    ['a date in two days, which is bounded', 'Tue, 03 Mar 2026 12:00:00 GMT', MAX_RETRY_AFTER_MS],
    ['a date that does not exist', 'Sun, 99 Mar 2026 12:02:00 GMT', 0],
    ['ISO 8601', '2026-03-01T12:02:00Z', TWO_MINUTES],
    ['ISO 8601 without a zone', '2026-03-01T12:02:00', TWO_MINUTES],
  ])('reads %s: %s', (_case, header, expected) => {
    vi.stubEnv('TZ', zone)
    expect(retryAfterMs(header, now)).toBe(expected)
  })
})

test.each([
  ['the longer one first', '60,30', 60_000],
  ['the longer one last', '30, 60', 60_000],
  ['one that is not readable', 'soon, 30', 30_000],
  ['a date and seconds', 'Sun, 01 Mar 2026 12:02:00 GMT, 30', TWO_MINUTES],
  ['two dates', 'Sunday, 01-Mar-26 12:01:00 GMT, Sun, 01 Mar 2026 12:02:00 GMT', TWO_MINUTES],
])('of a header that was sent twice, the longest delay counts: %s', (_case, header, expected) => {
  expect(retryAfterMs(header, now)).toBe(expected)
})

test('is a whole number of milliseconds, at most a day, for any value', () => {
  const parts = fc.constantFrom('1', '.', ',', ' ', '-', 's', 'm', 'h', ':', 'Sun, ', 'GMT', '26')
  const values = fc.oneof(
    fc.string(),
    fc.array(parts).map((all) => all.join('')),
  )
  fc.assert(
    fc.property(values, (header) => {
      const delay = retryAfterMs(header, now)
      expect(Number.isInteger(delay)).toBe(true)
      expect(delay).toBeGreaterThanOrEqual(0)
      expect(delay).toBeLessThanOrEqual(MAX_RETRY_AFTER_MS)
    }),
  )
})
