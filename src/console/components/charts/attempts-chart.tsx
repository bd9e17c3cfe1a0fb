import { type ReactNode, useId } from 'react'
import { useNavigate } from 'react-router'
import type { BucketUnit } from '../../generated/graphql.ts'
import { formatCompact, formatCount } from '../../lib/format.ts'
import type { Stack } from './buckets/stacks.ts'
import { ChartFrame } from './chart-frame.tsx'
import { ticksOf } from './plot/axis.ts'
import { spanOf } from './plot/chart-time.ts'
import { Plot, type PlotMark } from './plot/plot.tsx'
import { StackedBars, StackPattern } from './plot/stacked-bars.tsx'

const PLOT_HEIGHT_PX = 220
/** With the times below. */
export const HEIGHT_PX = PLOT_HEIGHT_PX + 26

interface AttemptsChartProps {
  /** What the chart shows, in a sentence. */
  readonly label: string
  readonly bars: readonly { readonly start: string; readonly end: string }[]
  readonly stacks: readonly Stack[]
  /** The filters that list all attempts of a bar. */
  readonly filters: Readonly<Record<string, string>>
  readonly unit: BucketUnit
  /** Attempts of this webhook only. */
  readonly webhookId?: string | undefined
  readonly marks?: readonly PlotMark[]
  readonly empty: string
  /** Items of the menu in the corner. */
  readonly menu?: ReactNode
  zoom?: (since: string, until: string) => void
}

/** Attempts over time in stacked bars. A click on a part of a bar opens its attempts. */
export function AttemptsChart(props: AttemptsChartProps) {
  const { label, bars, stacks, filters, unit, webhookId, marks = [], zoom } = props
  const id = useId()
  const navigate = useNavigate()
  const totals = bars.map((_, index) =>
    stacks.reduce((sum, { counts }) => sum + (counts[index] ?? 0), 0),
  )
  const shown = stacks.filter(({ counts }, part) => part === 0 || counts.some((count) => count > 0))

  function open(index: number, part: number | null) {
    const bar = bars[index]
    if (!bar || !totals[index]) return
    const chosen = part === null ? filters : (stacks[part]?.filters ?? filters)
    navigate(attemptsPath({ since: bar.start, until: bar.end, filters: chosen, webhookId }))
  }

  return (
    <ChartFrame
      label={label}
      heightPx={HEIGHT_PX}
      columns={shown.map((stack) => stack.label)}
      rows={() =>
        bars.flatMap((bar, index) =>
          totals[index]
            ? [[spanOf(bar, unit), ...shown.map(({ counts }) => formatCount(counts[index] ?? 0))]]
            : [],
        )
      }
      menu={props.menu}
      empty={totals.some((total) => total > 0) ? undefined : props.empty}
      legend={shown.map((stack) => (
        <span key={stack.key} className="ph-legend">
          <svg width="10" height="10" aria-hidden="true">
            <StackPattern id={`${id}${stack.key}`} stack={stack} />
            <rect width="10" height="10" rx="2" fill={`url(#${id}${stack.key})`} />
          </svg>
          {stack.label}
        </span>
      ))}
    >
      <Plot
        label={label}
        bars={bars}
        unit={unit}
        heightPx={PLOT_HEIGHT_PX}
        ticks={ticksOf(Math.max(...totals))}
        marks={marks}
        parts={stacks.length}
        format={formatCompact}
        describe={(index) =>
          stacks.flatMap(({ label, counts }, part) =>
            part === 0 || counts[index] ? [`${label}: ${formatCount(counts[index] ?? 0)}`] : [],
          )
        }
        nameOf={(part) => stacks[part]?.label ?? ''}
        open={open}
        {...(zoom && { zoom })}
      >
        {(scale) => <StackedBars count={bars.length} stacks={stacks} scale={scale} />}
      </Plot>
    </ChartFrame>
  )
}

interface AttemptsQuery {
  readonly since: string
  readonly until: string
  /** Filters of the page of attempts, such as `{ status: 'SERVER_ERROR_5XX' }`. */
  readonly filters: Readonly<Record<string, string>>
  readonly webhookId?: string | undefined
}

/** The page with exactly the attempts of a part of a bar. */
function attemptsPath({ since, until, filters, webhookId }: AttemptsQuery): string {
  const params = new URLSearchParams({ ...filters, since, until })
  if (webhookId) params.set('webhook', webhookId)
  return `/attempts?${params}`
}
