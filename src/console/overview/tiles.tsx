import { SimpleGrid } from '@mantine/core'
import type { ChartRange } from '../components/charts/chart-range.ts'
import { latencyOf, successRateOf, type Totals, totalsOf } from '../components/charts/totals.ts'
import { formatCount, formatDuration, formatPercent } from '../format.ts'
import type { OverviewStatisticsQuery } from '../generated/graphql.ts'
import { Tile } from './tile.tsx'

interface TilesProps {
  readonly range: ChartRange
  readonly buckets: NonNullable<OverviewStatisticsQuery['statistics']> | undefined
  /** Attempts reported over the subscription that `buckets` does not count yet. */
  readonly live: { readonly succeeded: number; readonly failed: number }
}

/** The numbers of a range, compared with the range before. */
export function Tiles({ range, buckets, live }: TilesProps) {
  const current = buckets?.slice(-range.buckets)
  const counted = current && totalsOf(current)
  const now = counted && withLive(counted, live)
  const before = buckets && totalsOf(buckets.slice(0, -range.buckets))
  const rate = now && successRateOf(now)
  const [p50, p95, p99] = [0.5, 0.95, 0.99].map((share) => current && latencyOf(current, share))
  return (
    <SimpleGrid cols={{ base: 1, xs: 2, lg: 4 }}>
      <Tile
        label="Attempts"
        value={now && formatCount(now.attempts)}
        note={now && before && attemptsChange(now, before, range)}
      />
      <Tile
        label="Success rate"
        value={rate === undefined ? undefined : rate === null ? '–' : formatPercent(rate)}
        note={now && before && rateChange(now, before, range)}
      />
      <Tile
        label="Latency, p50"
        value={p50 === undefined ? undefined : p50 === null ? '–' : formatDuration(p50)}
        note={
          p95 != null && p99 != null
            ? `p95: ${formatDuration(p95)} · p99: ${formatDuration(p99)}`
            : 'No attempts'
        }
      />
      <Tile label="Failed" value={now && formatCount(now.failed)} note={now && failures(now)} />
    </SimpleGrid>
  )
}

function withLive(totals: Totals, live: TilesProps['live']): Totals {
  return {
    ...totals,
    attempts: totals.attempts + live.succeeded + live.failed,
    succeeded: totals.succeeded + live.succeeded,
    failed: totals.failed + live.failed,
  }
}

function attemptsChange(now: Totals, before: Totals, range: ChartRange): string {
  if (before.attempts === 0) return `None in ${range.before}`
  const change = now.attempts / before.attempts - 1
  if (Math.abs(change) < 0.005) return `Same as in ${range.before}`
  const amount =
    change > 9.99 ? `${Math.round(change + 1)} times` : `${Math.round(Math.abs(change) * 100)} %`
  if (change > 9.99) return `${amount} as many as in ${range.before}`
  return `${amount} ${change > 0 ? 'more' : 'fewer'} than in ${range.before}`
}

function rateChange(now: Totals, before: Totals, range: ChartRange): string {
  const [rate, rateBefore] = [successRateOf(now), successRateOf(before)]
  if (rate === null) return 'No attempts'
  if (rateBefore === null) return `No attempts in ${range.before}`
  return `${formatPercent(rateBefore)} in ${range.before}`
}

function failures(totals: Totals): string {
  const kinds = [
    ['3xx', totals.failed3xx],
    ['4xx', totals.failed4xx],
    ['5xx', totals.failed5xx],
    ['no response', totals.failedWithoutResponse],
  ] as const
  const some = kinds.filter(([, count]) => count > 0)
  if (some.length === 0) return totals.failed === 0 ? 'None failed' : ''
  return some.map(([kind, count]) => `${kind}: ${formatCount(count)}`).join(' · ')
}
