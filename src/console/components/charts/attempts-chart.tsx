import { useNavigate } from 'react-router'
import { formatCompact, formatCount } from '../../format.ts'
import type { BucketUnit } from '../../generated/graphql.ts'
import { t } from '../../strings/t.ts'
import { attemptsPath } from './attempts-path.ts'
import { ticksOf } from './axis.ts'
import { ChartFrame } from './chart-frame.tsx'
import { spanOf } from './chart-time.ts'
import type { Bar } from './fold-buckets.ts'
import { Plot, type PlotMark } from './plot.tsx'
import { StackedBars, StatusPattern } from './stacked-bars.tsx'
import { STATUS_CLASSES } from './status-classes.ts'
import { totalsOf } from './totals.ts'

const HEIGHT_PX = 220

interface AttemptsChartProps {
  readonly bars: readonly Bar[]
  readonly unit: BucketUnit
  /** Attempts of this webhook only. */
  readonly webhookId?: string | undefined
  readonly marks?: readonly PlotMark[]
  zoom?: (since: string, until: string) => void
}

/** Attempts over time by class of response. A click on a part of a bar opens its attempts. */
export function AttemptsChart({ bars, unit, webhookId, marks = [], zoom }: AttemptsChartProps) {
  const navigate = useNavigate()
  const totals = totalsOf(bars)
  const summary = t('charts.attempts.summary', {
    succeeded: formatCount(totals.succeeded),
    failed: formatCount(totals.failed),
  })
  const shown = STATUS_CLASSES.filter(({ field }) => field === 'succeeded' || totals[field] > 0)

  function open(index: number, part: number | null) {
    const bar = bars[index]
    if (!bar || bar.attempts === 0) return
    const response = part === null ? null : (STATUS_CLASSES[part]?.filter ?? null)
    navigate(attemptsPath({ since: bar.start, until: bar.end, response, webhookId }))
  }

  return (
    <ChartFrame
      label={summary}
      heightPx={HEIGHT_PX + 26}
      columns={STATUS_CLASSES.map(({ label }) => label)}
      rows={() =>
        bars
          .filter(({ attempts }) => attempts > 0)
          .map((bar) => [
            spanOf(bar, unit),
            ...STATUS_CLASSES.map(({ field }) => formatCount(bar[field])),
          ])
      }
      empty={totals.attempts === 0 ? t('charts.noAttempts') : undefined}
      legend={shown.map((series) => (
        <span key={series.field} className="ph-legend">
          <svg width="10" height="10" aria-hidden="true">
            <StatusPattern id={`legend-${series.field}`} series={series} />
            <rect width="10" height="10" rx="2" fill={`url(#legend-${series.field})`} />
          </svg>
          {series.label}
        </span>
      ))}
    >
      <Plot
        label={summary}
        bars={bars}
        unit={unit}
        heightPx={HEIGHT_PX}
        ticks={ticksOf(Math.max(...bars.map(({ attempts }) => attempts)))}
        marks={marks}
        parts={STATUS_CLASSES.length}
        format={formatCompact}
        describe={(index) => {
          const bar = bars[index]
          return bar ? linesOf(bar) : []
        }}
        nameOf={(part) => STATUS_CLASSES[part]?.label ?? ''}
        open={open}
        {...(zoom && { zoom })}
      >
        {(scale) => <StackedBars bars={bars} scale={scale} />}
      </Plot>
    </ChartFrame>
  )
}

function linesOf(bar: Bar): string[] {
  return STATUS_CLASSES.filter(({ field }) => field === 'succeeded' || bar[field] > 0).map(
    ({ field, label }) => `${label}: ${formatCount(bar[field])}`,
  )
}
