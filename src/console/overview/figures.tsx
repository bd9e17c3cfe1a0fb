import { type Totals, totalsOf } from '../components/charts/buckets/totals.ts'
import type { ChartRange } from '../components/charts/chart-range.ts'
import { Figures } from '../components/page/figures.tsx'
import { Time } from '../components/time.tsx'
import type { OverviewStatisticsQuery } from '../generated/graphql.ts'
import { countOf } from '../lib/count-of.ts'
import { formatCount, formatDuration, formatPercent } from '../lib/format.ts'
import { type DeliveryHealth, oldestOf } from './health-sentence.ts'

interface OverviewFiguresProps {
  readonly health: DeliveryHealth | undefined
  readonly range: ChartRange
  readonly buckets: NonNullable<OverviewStatisticsQuery['statistics']> | undefined
  /** Attempts reported over the subscription that `buckets` does not count yet. */
  readonly live: { readonly succeeded: number; readonly failed: number }
}

/** Whether deliveries arrive, our delay beside the response time, and the attempts of a range. Undefined ones are loading. */
export function OverviewFigures({ health, range, buckets, live }: OverviewFiguresProps) {
  return (
    <Figures
      figures={[
        {
          label: 'Arrived within a minute',
          value: health && (health.onTimeRate == null ? '–' : formatPercent(health.onTimeRate)),
          note:
            health?.onTimeRate === null ? 'No deliveries' : 'Of the deliveries of the last hour',
        },
        {
          label: 'Our delay, p95',
          ...percentiles(health, health?.firstAttemptDelay, 'until the first attempt'),
        },
        {
          label: 'Response time, p95',
          ...percentiles(health, health?.responseTime, 'of the endpoints'),
        },
        { label: 'Not delivered yet', ...notDelivered(health) },
        { label: 'Attempts', ...attempts(range, buckets, live) },
      ]}
    />
  )
}

type Percentiles = DeliveryHealth['responseTime']

function percentiles(
  health: DeliveryHealth | undefined,
  latency: Percentiles | undefined,
  of: string,
) {
  if (!health) return { value: undefined, note: '' }
  if (!latency) return { value: '–', note: 'No attempts in the last hour' }
  return {
    value: formatDuration(latency.p95Ms),
    note: `p50: ${formatDuration(latency.p50Ms)} ${of}`,
  }
}

function notDelivered(health: DeliveryHealth | undefined) {
  if (!health) return { value: undefined, note: '' }
  const count = health.waiting.reduce((sum, each) => sum + each.count, 0)
  const oldest = oldestOf(health.waiting)
  return {
    value: countOf(count),
    note: oldest ? (
      <>
        Oldest: <Time at={oldest} as="elapsed" />
      </>
    ) : (
      count === 0 && 'Nothing waits'
    ),
  }
}

function attempts(
  range: ChartRange,
  buckets: OverviewFiguresProps['buckets'],
  live: OverviewFiguresProps['live'],
) {
  if (!buckets) return { value: undefined, note: '' }
  const now = withLive(totalsOf(buckets.slice(-range.buckets)), live)
  const before = totalsOf(buckets.slice(0, -range.buckets))
  return {
    value: formatCount(now.attempts),
    note: now.failed > 0 ? `${formatCount(now.failed)} failed` : attemptsChange(now, before, range),
  }
}

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
