import { Figures } from '../../components/page/figures.tsx'
import { formatCount, formatDuration, formatPercent } from '../../format.ts'
import { t } from '../../strings/t.ts'

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
        { label: t('webhooks:metrics.attempts'), value: health && formatCount(health.attempts) },
        {
          label: t('webhooks:metrics.successRate'),
          value: health && (typeof rate === 'number' ? formatPercent(rate) : '–'),
        },
        { label: t('webhooks:metrics.p50'), value: latency('p50Ms') },
        { label: t('webhooks:metrics.p95'), value: latency('p95Ms') },
        { label: t('webhooks:metrics.p99'), value: latency('p99Ms') },
      ]}
    />
  )
}
