import type { BucketUnit } from '../../generated/graphql.ts'
import { t } from '../../language/t.ts'
import type { Series } from './buckets/series.ts'
import { ChartFrame } from './chart-frame.tsx'
import { ticksOf } from './plot/axis.ts'
import { spanOf } from './plot/chart-time.ts'
import { Curve } from './plot/curve.tsx'
import { Plot } from './plot/plot.tsx'

interface Line {
  /** Unique in the chart. */
  readonly label: string
  readonly color: string
  /** A dash pattern tells lines apart without color. */
  readonly dashes?: string | undefined
  readonly values: Series
}

interface LineChartProps {
  readonly title: string
  /** What the chart shows, in a sentence. */
  readonly label: string
  readonly bars: readonly { readonly start: string; readonly end: string }[]
  readonly unit: BucketUnit
  readonly lines: readonly Line[]
  readonly heightPx: number
  /** Fixed ticks. Default: as the values need. */
  readonly ticks?: readonly number[]
  format(value: number): string
  zoom?: ((since: string, until: string) => void) | undefined
}

/** Lines over time, each interrupted where it has no value, and the same numbers as a table. */
export function LineChart(props: LineChartProps) {
  const { title, label, bars, unit, lines, heightPx, format, zoom } = props
  const values = lines.flatMap((line) => line.values.filter((value) => value !== null))
  const textOf = (value: number | null | undefined) => (value == null ? null : format(value))
  return (
    <ChartFrame
      title={title}
      label={label}
      heightPx={heightPx + 26}
      columns={lines.map((line) => line.label)}
      rows={() =>
        bars.flatMap((bar, index) => {
          const texts = lines.map((line) => textOf(line.values[index]))
          return texts.every((text) => text === null)
            ? []
            : [[spanOf(bar, unit), ...texts.map((text) => text ?? '–')]]
        })
      }
      empty={values.length === 0 ? t('No attempts in this time range.') : undefined}
      legend={
        lines.length > 1 &&
        lines.map((line) => (
          <span key={line.label} className="ph-legend">
            <svg width="18" height="10" aria-hidden="true">
              <path
                d="M0 5h18"
                style={{ stroke: line.color, strokeWidth: 2, strokeDasharray: line.dashes }}
              />
            </svg>
            {line.label}
          </span>
        ))
      }
    >
      <Plot
        label={label}
        bars={bars}
        unit={unit}
        heightPx={heightPx}
        ticks={props.ticks ?? ticksOf(Math.max(0, ...values), false, 3)}
        format={format}
        describe={(index) =>
          lines.flatMap((line) => {
            const text = textOf(line.values[index])
            return text === null ? [] : [`${line.label}: ${text}`]
          })
        }
        {...(zoom && { zoom })}
      >
        {(scale) => (
          <>
            {lines.map((line) => (
              <Curve key={line.label} {...line} scale={scale} />
            ))}
          </>
        )}
      </Plot>
    </ChartFrame>
  )
}
