import { expect, test } from 'vitest'
import { foldBuckets } from '../../../../src/console/components/charts/buckets/fold-buckets.ts'
import {
  causeStacks,
  statusStacks,
} from '../../../../src/console/components/charts/buckets/stacks.ts'

const HOUR_MS = 3_600_000
const FIRST_MS = Date.parse('2026-01-31T12:00:00Z')
const at = (hour: number) => new Date(FIRST_MS + hour * HOUR_MS).toISOString()

const bucket = (hour: number, succeeded: number, failed5xx: number) => ({
  start: at(hour),
  attempts: succeeded + failed5xx,
  succeeded,
  failed: failed5xx,
  failed3xx: 0,
  failed4xx: 0,
  failed5xx,
  failedWithoutResponse: 0,
  latency: succeeded > 0 ? { p50Ms: 10, p95Ms: 20, p99Ms: 30 } : null,
})
const BUCKETS = [bucket(0, 5, 1), bucket(1, 0, 0), bucket(2, 7, 2), bucket(3, 1, 0)]

test('buckets are joined until the bars fit, at round times, and no attempt is lost', () => {
  expect(foldBuckets(BUCKETS, 'HOUR', 4)).toHaveLength(4)
  const bars = foldBuckets(BUCKETS, 'HOUR', 2)
  expect(bars.map(({ start, end, attempts }) => [start, end, attempts])).toEqual([
    [at(0), at(2), 6],
    [at(2), at(4), 10],
  ])
  expect(bars[0]?.latency?.p50Ms).toBeCloseTo(10, 3)
  expect(foldBuckets([], 'HOUR', 4)).toEqual([])
})

test('a bar without attempts has no latency', () => {
  const empty = [bucket(0, 0, 0), bucket(1, 0, 0)]
  expect(foldBuckets(empty, 'HOUR', 1)[0]?.latency).toBeNull()
})

test('the parts of a bar are its classes, with the filter that lists them', () => {
  const bars = foldBuckets(BUCKETS, 'HOUR', 2)
  const stacks = statusStacks(bars)
  expect(stacks.map(({ counts }) => counts)).toEqual([
    [5, 8],
    [0, 0],
    [0, 0],
    [1, 2],
    [0, 0],
  ])
  expect(stacks[3]?.filters).toEqual({ status: 'SERVER_ERROR_5XX' })
})

test('causes are ranked, and those beyond the seventh share a part that lists them all', () => {
  const bars = foldBuckets(BUCKETS, 'HOUR', 4)
  const causes = Array.from({ length: 9 }, (_, n) => ({
    start: at(n % 4),
    cause: String(500 + n),
    count: n + 1,
  }))
  const stacks = causeStacks(bars, causes)
  expect(stacks.map(({ key }) => key)).toEqual([
    ...['508', '507', '506', '505', '504', '503', '502'],
    'others',
  ])
  expect(stacks[0]?.counts).toEqual([9, 0, 0, 0])
  expect(stacks.at(-1)).toMatchObject({ filters: { cause: '501,500' }, counts: [1, 2, 0, 0] })
  expect(causeStacks(bars, [])).toEqual([])
})
