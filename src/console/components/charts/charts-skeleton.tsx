import { Skeleton } from '@mantine/core'
import './plot/plot.css'

const SMALL = ['successRate', 'throughput', 'latency']

/** Stands for the charts while they load, in their places and about as high. */
export function ChartsSkeleton() {
  return (
    <div className="ph-activity" aria-busy="true">
      <Skeleton h={286} />
      <div className="ph-activity-small">
        {SMALL.map((name) => (
          <div key={name}>
            <Skeleton h={12} w={96} mb={10} />
            <Skeleton h={170} />
          </div>
        ))}
      </div>
    </div>
  )
}
