import { Figures } from '../../components/page/figures.tsx'
import { formatCount, formatDuration, formatPercent } from '../../format.ts'

interface Health {
  readonly attempts: number
  /** Null without attempts. */
  readonly successRate: number | null
  readonly latency: {
    readonly p50Ms: number
    readonly p95Ms: number
    readonly p99Ms: number
  } | null
}

/** The attempts of a time range, in numbers. Undefined while loading. */
export function HealthMetrics({ health }: { health: Health | undefined }) {
  const latency = (percentile: 'p50Ms' | 'p95Ms' | 'p99Ms') =>
    health && (health.latency ? formatDuration(health.latency[percentile]) : '–')
  const rate = health?.successRate
  return (
    <Figures
      figures={[
        { label: 'Attempts', value: health && formatCount(health.attempts) },
        {
          label: 'Success rate',
          value: health && (typeof rate === 'number' ? formatPercent(rate) : '–'),
        },
        { label: 'Response time, p50', value: latency('p50Ms') },
        { label: 'p95', value: latency('p95Ms') },
        { label: 'p99', value: latency('p99Ms') },
      ]}
    />
  )
}
