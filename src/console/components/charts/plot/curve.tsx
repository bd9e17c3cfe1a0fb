import { useId } from 'react'
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

/** Hatches the bars of which nobody knows the value. */
export function Unknown({ bars, scale }: { bars: readonly boolean[]; scale: Scale }) {
  const id = useId()
  return (
    <>
      <UnknownPattern id={id} />
      {bars.map(
        (isUnknown, index) =>
          isUnknown && (
            <rect
              // biome-ignore lint/suspicious/noArrayIndexKey: a bar is its place in time
              key={index}
              data-unknown
              x={scale.x(index)}
              width={scale.step}
              height={scale.height}
              fill={`url(#${id})`}
            />
          ),
      )}
    </>
  )
}

/** The pattern or, for a legend, a square of it. */
export function UnknownPattern({ id, swatch = false }: { id?: string; swatch?: boolean }) {
  const own = useId()
  const pattern = (
    <pattern id={id ?? own} width={6} height={6} patternUnits="userSpaceOnUse">
      <path d="M-1 1l2-2M0 6l6-6M5 7l2-2" className="ph-plot-unknown" />
    </pattern>
  )
  if (!swatch) return <defs>{pattern}</defs>
  return (
    <svg width="10" height="10" aria-hidden="true">
      {pattern}
      <rect width="10" height="10" fill={`url(#${own})`} />
    </svg>
  )
}
