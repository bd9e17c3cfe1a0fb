import { useElementSize } from '@mantine/hooks'
import { type PointerEvent, useState } from 'react'
import { formatCompact, formatCount } from '../../format.ts'
import type { BucketUnit } from '../../generated/graphql.ts'
import { axisStep, labeledIndices } from './axis.ts'
import { spanOf, tickOf } from './chart-time.ts'

const STEPS = [0, 1, 2, 3, 4]
const LABEL_PX = 84

interface OutcomeBarsProps {
  readonly buckets: readonly {
    readonly start: string
    readonly succeeded: number
    readonly failed: number
  }[]
  readonly unit: BucketUnit
  /** The CSS colors of the two parts of a bar. */
  readonly succeeded: string
  readonly failed: string
}

/**
 * Stacked bars over time. Drawn without the library of the other charts, which alone would be two fifths of the script
 * size that the console's first page may load.
 */
export function OutcomeBars({ buckets, unit, succeeded, failed }: OutcomeBarsProps) {
  const [pointed, setPointed] = useState<number | null>(null)
  const { ref, width } = useElementSize()
  const step = axisStep(Math.max(...buckets.map((each) => each.succeeded + each.failed)), 4)
  const share = (count: number) => `${(100 * count) / (4 * step)}%`
  const labeled = labeledIndices(buckets.length, width, LABEL_PX)
  const [first, last] = [buckets[0], buckets.at(-1)]
  const spanMs = first && last ? Date.parse(last.start) - Date.parse(first.start) : 0

  function point({ currentTarget, clientX }: PointerEvent) {
    const { left, width } = currentTarget.getBoundingClientRect()
    const at = Math.floor((buckets.length * (clientX - left)) / width)
    setPointed(Math.min(Math.max(at, 0), buckets.length - 1))
  }

  return (
    <div className="ph-outcomes">
      <div className="ph-outcomes-scale">
        {STEPS.map((at) => (
          <span key={at} style={{ bottom: share(at * step) }}>
            {formatCompact(at * step)}
          </span>
        ))}
      </div>
      <div
        className="ph-outcomes-bars"
        ref={ref}
        onPointerMove={point}
        onPointerDown={point}
        onPointerLeave={() => setPointed(null)}
      >
        {STEPS.map((at) => (
          <div key={at} className="ph-outcomes-line" style={{ bottom: share(at * step) }} />
        ))}
        {buckets.map((bucket, index) => (
          <div
            key={bucket.start}
            className="ph-outcomes-bar"
            data-pointed={index === pointed || undefined}
          >
            <div style={{ height: share(bucket.failed), background: failed }} />
            <div style={{ height: share(bucket.succeeded), background: succeeded }} />
          </div>
        ))}
        {pointed !== null && buckets[pointed] && (
          <div
            className="ph-outcomes-tooltip"
            style={
              pointed < buckets.length / 2
                ? { insetInlineStart: `${(100 * (pointed + 1)) / buckets.length}%` }
                : { insetInlineEnd: `${100 - (100 * pointed) / buckets.length}%` }
            }
          >
            <strong>{spanOf(buckets[pointed].start, unit)}</strong>
            <div>{formatCount(buckets[pointed].succeeded)} succeeded</div>
            <div>{formatCount(buckets[pointed].failed)} failed</div>
          </div>
        )}
      </div>
      <div className="ph-outcomes-times">
        {buckets.map((bucket, index) => (
          <div key={bucket.start}>
            {labeled.has(index) ? tickOf(bucket.start, unit, spanMs) : ''}
          </div>
        ))}
      </div>
    </div>
  )
}
