import { runsOf, type Series } from '../buckets/series.ts'
import type { Scale } from './plot.tsx'

interface CurveProps {
  readonly color: string
  readonly dashes?: string | undefined
  readonly values: Series
  readonly scale: Scale
}

/** A line through the values. It ends before a bar without a value; a value alone is a dot. */
export function Curve({ color, dashes, values, scale }: CurveProps) {
  return runsOf(values).map((run) => {
    const points = run.map(([index, value]) => [scale.x(index + 0.5), scale.y(value)] as const)
    const [first] = points
    if (points.length === 1 && first) {
      return <circle key={first[0]} cx={first[0]} cy={first[1]} r={2.5} style={{ fill: color }} />
    }
    return (
      <polyline
        key={run[0]?.[0]}
        className="ph-plot-curve"
        points={points.map(([x, y]) => `${x.toFixed(1)},${y.toFixed(1)}`).join(' ')}
        style={{ stroke: color, strokeDasharray: dashes }}
      />
    )
  })
}
