import { Anchor } from '@mantine/core'
import { Link } from 'react-router'
import { sumOf } from '../components/charts/attempts-chart.tsx'
import { Figures } from '../components/page/figures.tsx'
import { Section } from '../components/page/section.tsx'
import { Time } from '../components/time.tsx'
import type {
  DeliveryState,
  StatisticsBucketFragment,
  WaitingReason,
} from '../generated/graphql.ts'
import { countOf } from '../lib/count-of.ts'
import { formatCount, formatDuration, formatPercent } from '../lib/format.ts'
import type { DeliveryHealth } from './health-sentence.ts'

interface OverviewFiguresProps {
  readonly health: DeliveryHealth | undefined
  readonly buckets: readonly StatisticsBucketFragment[] | undefined
}

/** Whether deliveries arrive, our delay beside the response time, and the attempts of a range. Undefined ones are loading. */
export function OverviewFigures({ health, buckets }: OverviewFiguresProps) {
  const percentiles = (label: string, of: string, latency?: DeliveryHealth['responseTime']) => ({
    label,
    value: health && (latency ? formatDuration(latency.p95Ms) : '–'),
    note: latency ? `p50: ${formatDuration(latency.p50Ms)} ${of}` : 'In the last hour',
  })
  return (
    <Figures
      figures={[
        {
          label: 'Arrived within a minute',
          value: health && (health.onTimeRate == null ? '–' : formatPercent(health.onTimeRate)),
          note: 'Of the deliveries of the last hour',
        },
        percentiles('Our delay, p95', 'until the first attempt', health?.firstAttemptDelay),
        percentiles('Response time, p95', 'of the endpoints', health?.responseTime),
        {
          label: 'Attempts',
          value: buckets && formatCount(sumOf(buckets, 'attempts')),
          note: buckets && `${formatCount(sumOf(buckets, 'failed'))} failed`,
        },
      ]}
    />
  )
}

/** What waits, by reason, with the oldest of each. Empty if nothing waits. */
export function WaitingByReason({ waiting }: Pick<DeliveryHealth, 'waiting'>) {
  if (waiting.length === 0) return null
  return (
    <Section title="What deliveries wait for">
      <Figures
        figures={waiting.map(({ reason, count, oldestAt }) => {
          const [label, state] = REASONS[reason]
          return {
            label,
            value: (
              <Anchor component={Link} to={`/deliveries?state=${state}`} inherit>
                {countOf(count)}
              </Anchor>
            ),
            note: oldestAt && (
              <>
                Oldest: <Time at={oldestAt} as="elapsed" />
              </>
            ),
          }
        })}
      />
    </Section>
  )
}

/** What deliveries wait for, in words, and the state of such deliveries. */
const REASONS: Readonly<Record<WaitingReason, readonly [label: string, state: DeliveryState]>> = {
  ON_HOLD: ['Webhook on hold', 'WAITING'],
  DISABLED: ['Webhook disabled', 'WAITING'],
  RATE_LIMIT: ['Rate limit', 'WAITING'],
  CONCURRENCY_LIMIT: ['Concurrency limit', 'WAITING'],
  ORDERED: ['In order', 'WAITING'],
  RETRY: ['Next retry', 'RETRYING'],
  CAPACITY: ['Free worker', 'QUEUED'],
}
