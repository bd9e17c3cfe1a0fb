import '@mantine/charts/styles.css'
import './chart-frame.css'
import { LineChart } from '@mantine/charts'
import { useMemo } from 'react'
import { formatDuration } from '../../format.ts'
import type { BucketUnit } from '../../generated/graphql.ts'
import { CHART_HEIGHT_PX, ChartFrame } from './chart-frame.tsx'
import { spanOf, tickOf } from './chart-time.ts'

export interface LatencyBucket {
  readonly start: string
  /** Null without attempts. */
  readonly latency?:
    | { readonly p50Ms: number; readonly p95Ms: number; readonly p99Ms: number }
    | null
    | undefined
}

interface LatencyChartProps {
  /** Oldest first, including buckets without attempts. */
  readonly buckets: readonly LatencyBucket[]
  readonly unit: BucketUnit
}

/** The dash patterns also tell the series apart without color. */
const SERIES = [
  { name: 'p50Ms', label: 'p50', color: 'var(--mantine-color-blue-6)' },
  { name: 'p95Ms', label: 'p95', color: 'var(--mantine-color-orange-8)', strokeDasharray: '6 3' },
  { name: 'p99Ms', label: 'p99', color: 'var(--mantine-color-grape-6)', strokeDasharray: '2 3' },
]

/** Latency over time: p50, p95 and p99. */
export function LatencyChart({ buckets, unit }: LatencyChartProps) {
  const data = useMemo(
    () => buckets.map(({ start, latency }) => ({ start, ...latency })),
    [buckets],
  )
  const measured = buckets.filter(({ latency }) => latency)
  const [first, last] = [buckets[0], buckets.at(-1)]
  const spanMs = first && last ? Date.parse(last.start) - Date.parse(first.start) : 0
  return (
    <ChartFrame
      summary="Latency over time: p50, p95 and p99."
      series={SERIES}
      rows={() =>
        measured.map(({ start, latency }) => [
          spanOf(start, unit),
          ...[latency?.p50Ms, latency?.p95Ms, latency?.p99Ms].map((ms) => formatDuration(ms ?? 0)),
        ])
      }
      empty={measured.length === 0 ? 'No attempts in this time range.' : undefined}
    >
      <LineChart
        h={CHART_HEIGHT_PX}
        data={data}
        dataKey="start"
        series={SERIES}
        accessibilityLayer={false}
        tickLine="none"
        withDots={measured.length < 3}
        connectNulls
        curveType="monotone"
        lineChartProps={{ margin: { top: 8, right: 8, bottom: 12 } }}
        valueFormatter={formatDuration}
        xAxisProps={{
          tickFormatter: (start: string) => tickOf(start, unit, spanMs),
          minTickGap: 24,
        }}
        yAxisProps={{
          width: 60,
          // Non-breaking spaces keep the label on one line.
          tickFormatter: (ms: number) => formatDuration(ms).replaceAll(' ', '\u00a0'),
        }}
        tooltipProps={{ labelFormatter: (start) => (start ? spanOf(String(start), unit) : '') }}
      />
    </ChartFrame>
  )
}
