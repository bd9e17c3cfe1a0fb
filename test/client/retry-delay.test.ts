import { describe, expect, test } from 'vitest'
import { delayMs } from '../../packages/client/src/retry-delay.ts'

const NOW = Date.UTC(2026, 0, 31, 12)

test.each([
  [1, 250],
  [2, 500],
  [3, 1_000],
  [5, 4_000],
  [6, 5_000],
  [2_000, 5_000],
])(
  'without Retry-After, after %i tries the delay is at most %i ms, and at least half of it',
  (tries, longest) => {
    expect(delayMs(tries, null, NOW, 0)).toBe(longest)
    expect(delayMs(tries, null, NOW, 1)).toBe(longest / 2)
  },
)

describe('Retry-After', () => {
  test.each(['3', ' 3 ', 'Sat, 31 Jan 2026 12:00:03 GMT'])('%j is a minimum', (text) => {
    for (const jitter of [0, 0.5, 1]) {
      const delay = delayMs(1, text, NOW, jitter)
      expect(delay).toBeGreaterThanOrEqual(3_000)
      expect(delay).toBeLessThanOrEqual(3_250)
    }
  })

  test.each(['', '0', '-3', 'soon', 'Sat, 31 Jan 2026 11:59:00 GMT'])('%j is none', (text) => {
    expect(delayMs(1, text, NOW, 0)).toBe(250)
  })
})
