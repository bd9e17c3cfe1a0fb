import { useElementSize } from '@mantine/hooks'
import type { BucketUnit } from '../../generated/graphql.ts'
import { AttemptsBy } from './attempts-by.tsx'
import { foldBuckets } from './buckets/fold-buckets.ts'
import type { AttemptBucket } from './buckets/status-classes.ts'
import { LatencyChart } from './latency-chart.tsx'
import type { PlotMark } from './plot/plot.tsx'
import { SuccessChart, ThroughputChart } from './small-charts.tsx'

const SMALL_HEIGHT_PX = 120
/** The width that a bar needs. */
const BAR_PX = 7

interface ActivityProps {
  /** Oldest first, including buckets without attempts. */
  readonly buckets: readonly AttemptBucket[]
  readonly unit: BucketUnit
  readonly webhookId?: string
  readonly marks?: readonly PlotMark[] | undefined
  zoom(since: string, until: string): void
}

/** The attempts of a time range: their responses, and beside them success rate, throughput and latency. */
export function Activity({ buckets, unit, webhookId, marks, zoom }: ActivityProps) {
  const { ref, width } = useElementSize()
  const bars = foldBuckets(buckets, unit, Math.max(12, Math.floor((width || 900) / BAR_PX)))
  const few = foldBuckets(buckets, unit, 48)
  const plot = { bars: few, unit, heightPx: SMALL_HEIGHT_PX, zoom }
  return (
    <div className="ph-activity" ref={ref}>
      <AttemptsBy bars={bars} unit={unit} webhookId={webhookId} marks={marks ?? []} zoom={zoom} />
      <div className="ph-activity-small">
        <SuccessChart {...plot} />
        <ThroughputChart {...plot} />
        <LatencyChart {...plot} />
      </div>
    </div>
  )
}
