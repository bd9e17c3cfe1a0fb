import { expect, test } from 'vitest'
import {
  latencyOf,
  successRateOf,
  totalsOf,
} from '../../../../src/console/components/charts/buckets/totals.ts'
import { boundsOf, RANGES, rangeOf } from '../../../../src/console/components/charts/chart-range.ts'

const bucket = (attempts: number, succeeded: number, latency: [number, number, number] | null) => ({
  start: '2026-01-31T12:00:00.000Z',
  attempts,
  succeeded,
  failed: attempts - succeeded,
  failed3xx: 0,
  failed4xx: 0,
  failed5xx: attempts - succeeded,
  failedWithoutResponse: 0,
  latency: latency && { p50Ms: latency[0], p95Ms: latency[1], p99Ms: latency[2] },
})

test('equal buckets keep their percentiles', () => {
  const buckets = [bucket(10, 10, [40, 200, 900]), bucket(1_000, 990, [40, 200, 900])]
  for (const [share, ms] of [
    [0.5, 40],
    [0.95, 200],
    [0.99, 900],
  ] as const) {
    expect(latencyOf(buckets, share)).toBeCloseTo(ms, 3)
  }
})

test('a bucket is weighted by its attempts', () => {
  const buckets = [bucket(9_900, 9_900, [10, 20, 30]), bucket(100, 100, [5_000, 8_000, 9_000])]
  expect(latencyOf(buckets, 0.5)).toBeLessThan(12)
  expect(latencyOf(buckets, 0.95)).toBeLessThan(35)
  const few = [bucket(100, 100, [10, 20, 30]), bucket(9_900, 9_900, [5_000, 8_000, 9_000])]
  expect(latencyOf(few, 0.5)).toBeGreaterThan(4_800)
})

test('without attempts there is no latency and no success rate', () => {
  expect(latencyOf([bucket(0, 0, null)], 0.5)).toBeNull()
  expect(successRateOf(totalsOf([bucket(0, 0, null)]))).toBeNull()
  expect(successRateOf(totalsOf([bucket(4, 1, null), bucket(4, 3, null)]))).toBe(0.5)
})

test('a range and the one before it have whole buckets, and stay within the server’s limit', () => {
  const nowMs = Date.parse('2026-01-31T12:34:56.789Z')
  expect(boundsOf(rangeOf('1h'), nowMs, 2)).toEqual({
    since: '2026-01-31T10:35:00.000Z',
    until: '2026-01-31T12:35:00.000Z',
    bucket: 'MINUTE',
  })
  expect(boundsOf(rangeOf('1h'), nowMs).since).toBe('2026-01-31T11:35:00.000Z')
  expect(boundsOf(rangeOf('nonsense'), nowMs)).toEqual(boundsOf(rangeOf('24h'), nowMs))
  for (const { buckets } of RANGES) expect(2 * buckets).toBeLessThanOrEqual(1_500)
})
