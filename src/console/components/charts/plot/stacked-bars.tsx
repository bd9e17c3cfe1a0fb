import { useId } from 'react'
import type { Stack } from '../buckets/stacks.ts'
import type { Scale } from './plot.tsx'

interface StackedBarsProps {
  readonly count: number
  readonly stacks: readonly Stack[]
  readonly scale: Scale
}

/** Bars of attempts, stacked. */
export function StackedBars({ count, stacks, scale }: StackedBarsProps) {
  const id = useId()
  const width = Math.max(1, Math.min(28, scale.step * 0.72))
  const inset = (scale.step - width) / 2
  return (
    <>
      <defs>
        {stacks.map((stack) => (
          <StackPattern key={stack.key} id={`${id}${stack.key}`} stack={stack} />
        ))}
      </defs>
      {Array.from({ length: count }, (_, index) => {
        let below = 0
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: a bar is its place in time
          <g key={index}>
            {stacks.map(({ key, counts }, part) => {
              const attempts = counts[index] ?? 0
              if (attempts === 0) return null
              const bottom = scale.y(below)
              below += attempts
              // Even one failure among thousands is seen.
              const height = Math.max(bottom - scale.y(below), part === 0 ? 0 : 2)
              return (
                <rect
                  key={key}
                  data-part={part}
                  x={scale.x(index) + inset}
                  y={bottom - height}
                  width={width}
                  height={height}
                  fill={`url(#${id}${key})`}
                />
              )
            })}
          </g>
        )
      })}
    </>
  )
}

/** The color of a part with its pattern. */
export function StackPattern({ id, stack: { color, pattern } }: { id: string; stack: Stack }) {
  return (
    <pattern id={id} width={6} height={6} patternUnits="userSpaceOnUse">
      <rect width={6} height={6} style={{ fill: color }} />
      <path d={PATTERNS[pattern]} style={{ stroke: 'var(--mantine-color-body)', opacity: 0.45 }} />
    </pattern>
  )
}

const PATTERNS: Record<Stack['pattern'], string> = {
  solid: '',
  dots: 'M2 3h2',
  stripes: 'M-1 1l2-2M0 6l6-6M5 7l2-2',
  grid: 'M3 0v6M0 3h6',
}
