import { useId } from 'react'
import type { Bar } from './fold-buckets.ts'
import type { Scale } from './plot.tsx'
import { STATUS_CLASSES, type StatusClassSeries } from './status-classes.ts'

/** Bars of attempts, stacked by the class of their response. */
export function StackedBars({ bars, scale }: { bars: readonly Bar[]; scale: Scale }) {
  const id = useId()
  const width = Math.max(1, Math.min(28, scale.step * 0.72))
  const inset = (scale.step - width) / 2
  return (
    <>
      <defs>
        {STATUS_CLASSES.map((series) => (
          <StatusPattern key={series.field} id={`${id}${series.field}`} series={series} />
        ))}
      </defs>
      {bars.map((bar, index) => {
        let below = 0
        return (
          <g key={bar.start}>
            {STATUS_CLASSES.map(({ field }, part) => {
              const count = bar[field]
              if (count === 0) return null
              const bottom = scale.y(below)
              below += count
              // Even one failure among thousands is seen.
              const height = Math.max(bottom - scale.y(below), field === 'succeeded' ? 0 : 2)
              return (
                <rect
                  key={field}
                  data-part={part}
                  x={scale.x(index) + inset}
                  y={bottom - height}
                  width={width}
                  height={height}
                  fill={`url(#${id}${field})`}
                />
              )
            })}
          </g>
        )
      })}
    </>
  )
}

/** The color of a class with its pattern, which tells it apart without color. */
export function StatusPattern({ id, series }: { id: string; series: StatusClassSeries }) {
  return (
    <pattern id={id} width={6} height={6} patternUnits="userSpaceOnUse">
      <rect width={6} height={6} style={{ fill: series.color }} />
      <path
        d={PATTERNS[series.pattern]}
        style={{ stroke: 'var(--mantine-color-body)', opacity: 0.45 }}
      />
    </pattern>
  )
}

const PATTERNS: Record<StatusClassSeries['pattern'], string> = {
  solid: '',
  dots: 'M2 3h2',
  stripes: 'M-1 1l2-2M0 6l6-6M5 7l2-2',
  grid: 'M3 0v6M0 3h6',
}
