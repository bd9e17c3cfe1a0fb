import { expect, test } from 'vitest'
import { foldBuckets } from '../../../../src/console/components/charts/buckets/fold-buckets.ts'
import {
  perRate,
  rateOf,
  rates,
  runsOf,
  successRates,
} from '../../../../src/console/components/charts/buckets/series.ts'

const START = Date.parse('2026-01-31T12:00:00.000Z')
const HOUR_MS = 3_600_000
const at = (hours: number) => new Date(START + hours * HOUR_MS).toISOString()

/** Bars of an hour each. */
const barsOf = (...attempts: number[]) =>
  foldBuckets(
    attempts.map((count, hour) => ({
      start: at(hour),
      attempts: count,
      succeeded: count / 2,
      failed: count / 2,
      failed3xx: 0,
      failed4xx: 0,
      failed5xx: count / 2,
      failedWithoutResponse: 0,
      latency: null,
    })),
    'HOUR',
    100,
  )

test('a line has a piece for each run of values, and none over hours without attempts', () => {
  const values = successRates(barsOf(4, 2, 0, 0, 8, 0, 2))
  expect(values).toEqual([0.5, 0.5, null, null, 0.5, null, 0.5])
  expect(runsOf(values).map((run) => run.map(([index]) => index))).toEqual([[0, 1], [4], [6]])
  expect(runsOf([null, null])).toEqual([])
})

test('a rate is per second, minute or hour, as the largest value asks', () => {
  const few = rates(barsOf(0, 2, 6), START + 9 * HOUR_MS)
  expect(rateOf(few).per).toBe('hour')
  expect(perRate(few, rateOf(few)).map((value) => value && Math.round(value))).toEqual([0, 2, 6])
  expect(rateOf(rates(barsOf(60), START + HOUR_MS)).per).toBe('minute')
  expect(rateOf(rates(barsOf(3_600), START + HOUR_MS)).per).toBe('second')
  expect(rateOf([0, null]).per).toBe('second')
})

test('the bar of now has a rate of the time that has passed, and none at its start', () => {
  const bars = barsOf(3_600, 1_800)
  expect(rates(bars, START + 1.5 * HOUR_MS)).toEqual([1, 1])
  expect(rates(bars, START + 1.05 * HOUR_MS)).toEqual([1, null])
})
