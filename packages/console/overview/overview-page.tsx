import { Anchor, Button, Code, Group, Skeleton, Text } from '@mantine/core'
import { IconAlertTriangle, IconCircleCheck } from '@tabler/icons-react'
import { Link } from 'react-router'
import { useRead } from '../api/use-read.ts'
import { AttemptsChart, sumOf } from '../components/charts/attempts-chart.tsx'
import { boundsOf, useRange } from '../components/charts/chart-range.ts'
import { RangeSwitch } from '../components/charts/range-switch.tsx'
import { LiveBadge } from '../components/live-badge.tsx'
import { EmptyState } from '../components/page/empty-state.tsx'
import { Figures } from '../components/page/figures.tsx'
import { Notice } from '../components/page/notice.tsx'
import { Page } from '../components/page/page.tsx'
import { Section } from '../components/page/section.tsx'
import { QueryError } from '../components/query-error.tsx'
import { Time, useNow } from '../components/time.tsx'
import {
  type DeliveryState,
  OverviewDocument,
  OverviewStatisticsDocument,
  type StatisticsBucketFragment,
  type WaitingReason,
} from '../generated/graphql.ts'
import { Incidents } from '../incidents/incidents.tsx'
import { countOf } from '../lib/count-of.ts'
import { formatCount, formatDuration, formatPercent } from '../lib/format.ts'
import { useSession } from '../session/session.tsx'
import { useActivity, useHealthChanges } from '../webhooks/health/use-health-changes.ts'
import { type DeliveryHealth, healthSentence } from './health-sentence.ts'

/** An empty list of incidents changes with them, too. */
const CONTEXT = { additionalTypenames: ['Incident', 'Webhook'] }

export default function OverviewPage() {
  const { can } = useSession()
  const chosen = useRange()
  const variables = { withIncidents: can('webhooks:read'), withMemory: can('admin') }
  const overview = useRead(OverviewDocument, variables, { context: CONTEXT })
  useHealthChanges(undefined, overview.reload)
  const attempts = useRead(OverviewStatisticsDocument, boundsOf(chosen.range, useNow()))
  const state = useActivity(null, attempts.reload)
  const { deliveryHealth, incidents, memoryIsShort } = overview.data ?? {}
  const health = deliveryHealth ?? undefined
  const buckets = attempts.data?.statistics ?? undefined
  const failed = [overview, attempts].find(({ data, error }) => error && !data)
  return (
    <Page
      title="Overview"
      aside={!failed && <LiveBadge state={state} />}
      actions={<RangeSwitch {...chosen} />}
    >
      {failed?.error ? (
        <QueryError error={failed.error} reload={failed.reload} />
      ) : (
        <>
          {memoryIsShort && (
            <Notice color="orange" title="The server is short of memory">
              Large requests may fail, and the API may be started again. Raise{' '}
              <Code>POSTHORN_MAX_HEAP_MB</Code>, or start more processes.
            </Notice>
          )}
          <HealthSentence health={health} />
          {incidents && <Incidents rows={incidents.nodes} />}
          {health?.webhooks.length === 0 && can('webhooks:write') && <NoWebhook />}
          <OverviewFigures health={health} buckets={buckets} />
          {health && <WaitingByReason waiting={health.waiting} />}
          <Section title="Attempts over time">
            <AttemptsChart buckets={buckets} range={chosen.range} />
          </Section>
        </>
      )}
    </Page>
  )
}

const COLORS = { none: 'green', ours: 'red', theirs: 'orange' } as const

/** One sentence: whether deliveries arrive, and whose fault it is if they do not. */
function HealthSentence({ health }: { health: DeliveryHealth | undefined }) {
  const nowMs = useNow()
  if (!health) return <Skeleton h={24} maw={560} />
  const { fault, text } = healthSentence(health, nowMs)
  const Icon = fault === 'none' ? IconCircleCheck : IconAlertTriangle
  return (
    <Group gap="xs" wrap="nowrap" align="start" role="status">
      <Icon size={20} aria-hidden color={`var(--posthorn-mark-${COLORS[fault]})`} />
      <Text fw={600} flex={1}>
        {text}
      </Text>
    </Group>
  )
}

interface OverviewFiguresProps {
  readonly health: DeliveryHealth | undefined
  readonly buckets: readonly StatisticsBucketFragment[] | undefined
}

/** Whether deliveries arrive, our delay beside the response time, and the attempts of a range. Undefined ones are loading. */
function OverviewFigures({ health, buckets }: OverviewFiguresProps) {
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
function WaitingByReason({ waiting }: Pick<DeliveryHealth, 'waiting'>) {
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

/** For a new organization. */
function NoWebhook() {
  return (
    <EmptyState
      title="No webhooks yet"
      action={
        <Button component={Link} to="/webhooks/new">
          Create webhook
        </Button>
      }
    >
      Register the HTTPS URL of a receiver, publish an event, and its delivery appears here.
    </EmptyState>
  )
}
