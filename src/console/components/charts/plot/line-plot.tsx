import type { BucketUnit } from '../../../generated/graphql.ts'
import { ticksOf } from './axis.ts'
import { Plot, type PlotMark, type Scale } from './plot.tsx'

interface Line {
  readonly label: string
  readonly color: string
  /** A dash pattern tells lines apart without color. */
  readonly dashes?: string
  /** For each bar; null without a value. */
  readonly values: readonly (number | null)[]
}

interface LinePlotProps {
  readonly label: string
  readonly bars: readonly { readonly start: string; readonly end: string }[]
  readonly unit: BucketUnit
  readonly lines: readonly Line[]
  readonly heightPx: number
  /** The top of the axis at least. Default: 0. */
  readonly least?: number
  /** Default: true. */
  readonly whole?: boolean
  readonly marks?: readonly PlotMark[]
  format(value: number): string
  zoom?: (since: string, until: string) => void
}

/** Lines over time. A bar without a value interrupts nothing: the line goes on to the next value. */
export function LinePlot(props: LinePlotProps) {
  const { lines, least = 0, whole = true, format, ...plot } = props
  const largest = Math.max(least, ...lines.flatMap(({ values }) => values.map((one) => one ?? 0)))
  return (
    <Plot
      {...plot}
      ticks={least > 0 && largest <= least ? [0, least / 2, least] : ticksOf(largest, whole, 3)}
      format={format}
      describe={(index) =>
        lines.flatMap(({ label, values }) => {
          const value = values[index]
          return value == null ? [] : [`${label}: ${format(value)}`]
        })
      }
    >
      {(scale) => lines.map((line) => <Curve key={line.label} line={line} scale={scale} />)}
    </Plot>
  )
}

function Curve({ line: { color, dashes, values }, scale }: { line: Line; scale: Scale }) {
  const points = values.flatMap((value, index) =>
    value === null ? [] : [[scale.x(index + 0.5), scale.y(value)] as const],
  )
  const [first] = points
  if (points.length === 1 && first) {
    return <circle cx={first[0]} cy={first[1]} r={3} style={{ fill: color }} />
  }
  return (
    <polyline
      className="ph-plot-curve"
      points={points.map(([x, y]) => `${x.toFixed(1)},${y.toFixed(1)}`).join(' ')}
      style={{ stroke: color, strokeDasharray: dashes }}
    />
  )
}
