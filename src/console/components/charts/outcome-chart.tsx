import './chart-frame.css'
import './outcome-chart.css'
import { formatCount } from '../../format.ts'
import type { BucketUnit } from '../../generated/graphql.ts'
import { ChartFrame } from './chart-frame.tsx'
import { spanOf } from './chart-time.ts'
import { OutcomeBars } from './outcome-bars.tsx'

export interface OutcomeBucket {
  readonly start: string
  readonly succeeded: number
  readonly failed: number
}

interface OutcomeChartProps {
  /** Oldest first, including buckets without attempts. */
  readonly buckets: readonly OutcomeBucket[]
  readonly unit: BucketUnit
}

/** Both colors have a contrast of 3 to 1 or more against the background, light and dark. */
const SUCCEEDED = { label: 'Succeeded', color: 'var(--mantine-color-green-8)' }
const FAILED = { label: 'Failed', color: 'var(--mantine-color-red-7)' }

/** Attempts over time: succeeded, with failed on top. */
export function OutcomeChart({ buckets, unit }: OutcomeChartProps) {
  const succeeded = buckets.reduce((sum, bucket) => sum + bucket.succeeded, 0)
  const failed = buckets.reduce((sum, bucket) => sum + bucket.failed, 0)
  return (
    <ChartFrame
      summary={`Attempts over time: ${formatCount(succeeded)} succeeded, ${formatCount(failed)} failed.`}
      series={[SUCCEEDED, FAILED]}
      rows={() =>
        buckets
          .filter((bucket) => bucket.succeeded + bucket.failed > 0)
          .map((bucket) => [
            spanOf(bucket.start, unit),
            formatCount(bucket.succeeded),
            formatCount(bucket.failed),
          ])
      }
      empty={succeeded + failed === 0 ? 'No attempts in this time range.' : undefined}
    >
      <OutcomeBars
        buckets={buckets}
        unit={unit}
        succeeded={SUCCEEDED.color}
        failed={FAILED.color}
      />
    </ChartFrame>
  )
}
