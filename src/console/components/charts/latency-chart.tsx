import type { BucketUnit } from '../../generated/graphql.ts'
import { formatDuration } from '../../lib/format.ts'
import type { Bar } from './buckets/fold-buckets.ts'
import { ChartFrame } from './chart-frame.tsx'
import { spanOf } from './plot/chart-time.ts'
import { LinePlot } from './plot/line-plot.tsx'

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
export function LatencyChart({ bars, unit, heightPx, zoom }: LatencyChartProps) {
  const measured = bars.filter(({ latency }) => latency)
  // Non-breaking spaces keep a label on one line.
  const format = (ms: number) => formatDuration(ms).replaceAll(' ', '\u00a0')
  return (
    <ChartFrame
      label="Latency over time: p50, p95 and p99."
      heightPx={heightPx + 26}
      columns={LINES.map(({ label }) => label)}
      rows={() =>
        measured.map((bar) => [
          spanOf(bar, unit),
          ...LINES.map(({ name }) => formatDuration(bar.latency?.[name] ?? 0)),
        ])
      }
      empty={measured.length === 0 ? 'No attempts in this time range.' : undefined}
      legend={LINES.map(({ label, color, ...line }) => (
        <span key={label} className="ph-legend">
          <svg width="18" height="10" aria-hidden="true">
            <path
              d="M0 5h18"
              style={{
                stroke: color,
                strokeWidth: 2,
                strokeDasharray: 'dashes' in line ? line.dashes : undefined,
              }}
            />
          </svg>
          {label}
        </span>
      ))}
    >
      <LinePlot
        label="Latency over time: p50, p95 and p99."
        bars={bars}
        unit={unit}
        heightPx={heightPx}
        whole={false}
        format={format}
        lines={LINES.map(({ name, ...line }) => ({
          ...line,
          values: bars.map(({ latency }) => latency?.[name] ?? null),
        }))}
        {...(zoom && { zoom })}
      />
    </ChartFrame>
  )
}
