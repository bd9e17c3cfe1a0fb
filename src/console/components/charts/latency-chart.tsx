import type { BucketUnit } from '../../generated/graphql.ts'
import { t } from '../../language/t.ts'
import { formatDuration } from '../../lib/format.ts'
import type { Bar } from './buckets/fold-buckets.ts'
import { LineChart } from './line-chart.tsx'

/** The dash patterns also tell the lines apart without color. */
const LINES = [
  { name: 'p50Ms', label: 'p50', color: 'var(--posthorn-mark-blue)' },
  { name: 'p95Ms', label: 'p95', color: 'var(--posthorn-chart-4xx)', dashes: '6 3' },
  { name: 'p99Ms', label: 'p99', color: 'var(--posthorn-chart-none)', dashes: '2 3' },
] as const

interface LatencyChartProps {
  readonly bars: readonly Bar[]
  readonly unit: BucketUnit
  readonly heightPx: number
  zoom?: (since: string, until: string) => void
}

/** How long attempts took: p50, p95 and p99 over time. */
export function LatencyChart({ bars, ...plot }: LatencyChartProps) {
  return (
    <LineChart
      {...plot}
      title={t('Latency')}
      label={t('Latency over time: p50, p95 and p99.')}
      bars={bars}
      format={formatLatency}
      lines={LINES.map(({ name, ...line }) => ({
        ...line,
        values: bars.map(({ latency }) => latency?.[name] ?? null),
      }))}
    />
  )
}

/** Non-breaking spaces keep a label on one line. */
const formatLatency = (ms: number) => formatDuration(ms).replaceAll(' ', '\u00a0')
