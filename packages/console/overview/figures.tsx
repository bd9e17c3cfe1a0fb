import { type AttemptBucket, totalsOf } from '../components/charts/buckets.ts'
import { Figures } from '../components/page/figures.tsx'
import { Time } from '../components/time.tsx'
import { countOf } from '../lib/count-of.ts'
import { formatCount, formatDuration, formatPercent } from '../lib/format.ts'
import { type DeliveryHealth, oldestOf } from './health-sentence.ts'

interface OverviewFiguresProps {
  readonly health: DeliveryHealth | undefined
  readonly buckets: readonly AttemptBucket[] | undefined
}

/** Whether deliveries arrive, our delay beside the response time, and the attempts of a range. Undefined ones are loading. */
export function OverviewFigures({ health, buckets }: OverviewFiguresProps) {
  return (
    <Figures
      figures={[
        {
          label: 'Arrived within a minute',
          value: health && (health.onTimeRate == null ? '–' : formatPercent(health.onTimeRate)),
          note:
            health?.onTimeRate === null ? 'No deliveries' : 'Of the deliveries of the last hour',
        },
        {
          label: 'Our delay, p95',
          ...percentiles(health, health?.firstAttemptDelay, 'until the first attempt'),
        },
        {
          label: 'Response time, p95',
          ...percentiles(health, health?.responseTime, 'of the endpoints'),
        },
        { label: 'Not delivered yet', ...notDelivered(health) },
        { label: 'Attempts', ...attempts(buckets) },
      ]}
    />
  )
}

type Percentiles = DeliveryHealth['responseTime']

function percentiles(
  health: DeliveryHealth | undefined,
  latency: Percentiles | undefined,
  of: string,
) {
  if (!health) return { value: undefined, note: '' }
  if (!latency) return { value: '–', note: 'No attempts in the last hour' }
  return {
    value: formatDuration(latency.p95Ms),
    note: `p50: ${formatDuration(latency.p50Ms)} ${of}`,
  }
}

function notDelivered(health: DeliveryHealth | undefined) {
  if (!health) return { value: undefined, note: '' }
  const count = health.waiting.reduce((sum, each) => sum + each.count, 0)
  const oldest = oldestOf(health.waiting)
  return {
    value: countOf(count),
    note: oldest ? (
      <>
        Oldest: <Time at={oldest} as="elapsed" />
      </>
    ) : (
      count === 0 && 'Nothing waits'
    ),
  }
}

function attempts(buckets: OverviewFiguresProps['buckets']) {
  if (!buckets) return { value: undefined, note: '' }
  const { attempts, failed } = totalsOf(buckets)
  return { value: formatCount(attempts), note: `${formatCount(failed)} failed` }
}
