import {
  latencyOf,
  successRateOf,
  type Totals,
  totalsOf,
} from '../components/charts/buckets/totals.ts'
import type { ChartRange } from '../components/charts/chart-range.ts'
import { type Figure, Figures } from '../components/page/figures.tsx'
import type { OverviewStatisticsQuery } from '../generated/graphql.ts'
import { formatCount, formatDuration, formatPercent } from '../lib/format.ts'

interface OverviewFiguresProps {
  readonly range: ChartRange
  readonly buckets: NonNullable<OverviewStatisticsQuery['statistics']> | undefined
  readonly backlog: OverviewStatisticsQuery['backlogHistory'] | undefined
  /** Attempts reported over the subscription that `buckets` does not count yet. */
  readonly live: { readonly succeeded: number; readonly failed: number }
}

/** The figures of a range, compared with the range before. Undefined ones are loading. */
export function OverviewFigures({ range, buckets, backlog, live }: OverviewFiguresProps) {
  if (!buckets) return <Figures figures={LOADING} />
  const current = buckets.slice(-range.buckets)
  const now = withLive(totalsOf(current), live)
  const before = totalsOf(buckets.slice(0, -range.buckets))
  const rate = successRateOf(now)
  const [p50, p95, p99] = [0.5, 0.95, 0.99].map((share) => latencyOf(current, share))
  const waiting = backlog?.findLast((bucket) => bucket.waiting != null)?.waiting
  return (
    <Figures
      figures={[
        {
          label: 'Attempts',
          value: formatCount(now.attempts),
          note: attemptsChange(now, before, range),
        },
        {
          label: 'Success rate',
          value: rate === null ? '–' : formatPercent(rate),
          note: rateChange(now, before, range),
        },
        { label: 'Failed', value: formatCount(now.failed), note: failures(now) },
        {
          label: 'Response time, p50',
          value: p50 == null ? '–' : formatDuration(p50),
          note:
            p95 == null || p99 == null
              ? 'No attempts'
              : `p95: ${formatDuration(p95)} · p99: ${formatDuration(p99)}`,
        },
        typeof waiting === 'number' && {
          label: 'Waiting',
          value: formatCount(waiting),
          note: waiting === 0 ? 'Nothing waits' : '',
        },
      ]}
    />
  )
}

const LOADING: readonly Figure[] = [
  'Attempts',
  'Success rate',
  'Failed',
  'Response time, p50',
  'Waiting',
].map((label) => ({ label, value: undefined, note: '' }))

function withLive(totals: Totals, live: OverviewFiguresProps['live']): Totals {
  return {
    ...totals,
    attempts: totals.attempts + live.succeeded + live.failed,
    succeeded: totals.succeeded + live.succeeded,
    failed: totals.failed + live.failed,
  }
}

function attemptsChange(now: Totals, { attempts }: Totals, { before }: ChartRange): string {
  if (attempts === 0) return `None in ${before}`
  const change = now.attempts / attempts - 1
  if (Math.abs(change) < 0.005) return `Same as in ${before}`
  if (change > 9.99) return `${formatCount(Math.round(change + 1))} times as many as in ${before}`
  const amount = Math.round(Math.abs(change) * 100)
  return change > 0 ? `${amount}% more than in ${before}` : `${amount}% fewer than in ${before}`
}

function rateChange(now: Totals, totalsBefore: Totals, { before }: ChartRange): string {
  const [rate, rateBefore] = [successRateOf(now), successRateOf(totalsBefore)]
  if (rate === null) return 'No attempts'
  if (rateBefore === null) return `No attempts in ${before}`
  return `${formatPercent(rateBefore)} in ${before}`
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
