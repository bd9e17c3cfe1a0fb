import { Button, Code, Skeleton } from '@mantine/core'
import { Link } from 'react-router'
import { useRead } from '../api/use-read.ts'
import { AttemptsChart, CHART_HEIGHT_PX } from '../components/charts/attempts-chart.tsx'
import { boundsOf } from '../components/charts/chart-range.ts'
import { RangeSwitch, useRange } from '../components/charts/range-switch.tsx'
import { LiveBadge } from '../components/live-badge.tsx'
import { EmptyState } from '../components/page/empty-state.tsx'
import { Notice } from '../components/page/notice.tsx'
import { Page } from '../components/page/page.tsx'
import { Section } from '../components/page/section.tsx'
import { QueryError } from '../components/query-error.tsx'
import { useNow } from '../components/time.tsx'
import { OverviewMemoryDocument } from '../generated/graphql.ts'
import { Incidents } from '../incidents/incidents.tsx'
import { useSession } from '../session/session.tsx'
import { useActivity } from '../webhooks/health/use-health-changes.ts'
import { HealthSentence, useDeliveryHealth, WaitingByReason } from './delivery-health.tsx'
import { OverviewFigures } from './figures.tsx'
import { statisticsQuery } from './overview-queries.ts'

export default function OverviewPage() {
  const { can } = useSession()
  const chosen = useRange()
  const { range } = chosen
  const { data, error, reload } = useRead(statisticsQuery.query, boundsOf(range, useNow()), {
    context: statisticsQuery.context,
  })
  const state = useActivity(null, reload)
  const buckets = data?.statistics ?? undefined
  const health = useDeliveryHealth()
  const hasNoWebhook = health?.webhooks.length === 0

  // One error in place of all that would fail likewise.
  if (error && !buckets) {
    return (
      <Page title="Overview" actions={<RangeSwitch {...chosen} />}>
        <QueryError error={error} reload={reload} />
      </Page>
    )
  }
  return (
    <Page
      title="Overview"
      aside={<LiveBadge state={state} />}
      actions={<RangeSwitch {...chosen} />}
    >
      {can('admin') && <Memory />}
      <HealthSentence health={health} />
      {can('webhooks:read') && <Incidents />}
      {hasNoWebhook && can('webhooks:write') && <NoWebhook />}
      <OverviewFigures health={health} buckets={buckets} />
      <WaitingByReason health={health} />
      <Section title="Attempts over time">
        {buckets ? (
          <AttemptsChart buckets={buckets} range={range} />
        ) : (
          <Skeleton h={CHART_HEIGHT_PX} />
        )}
      </Section>
    </Page>
  )
}

/** For operators. Empty if the memory suffices. */
function Memory() {
  const { data } = useRead(OverviewMemoryDocument, {})
  if (!data?.memoryIsShort) return null
  return (
    <Notice color="orange" title="The server is short of memory">
      Large requests may fail, and the API may be started again. Raise{' '}
      <Code>POSTHORN_MAX_HEAP_MB</Code>, or start more processes.
    </Notice>
  )
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
