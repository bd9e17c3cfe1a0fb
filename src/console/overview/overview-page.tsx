import { Button } from '@mantine/core'
import { lazy, Suspense, useMemo } from 'react'
import { Link } from 'react-router'
import { ChartsSkeleton } from '../components/charts/charts-skeleton.tsx'
import { RangeSwitch, useRange } from '../components/charts/range-switch.tsx'
import { LiveBadge } from '../components/live-badge.tsx'
import { EmptyState } from '../components/page/empty-state.tsx'
import { Page } from '../components/page/page.tsx'
import { Section } from '../components/page/section.tsx'
import { QueryError } from '../components/query-error.tsx'
import { Incidents } from '../incidents/incidents.tsx'
import { useSession } from '../session/session.tsx'
import { HealthSentence, useDeliveryHealth, WaitingByReason } from './delivery-health.tsx'
import { OverviewFigures } from './figures.tsx'
import { useStatistics } from './use-statistics.ts'

const Activity = lazy(() =>
  import('../components/charts/activity.tsx').then((m) => ({ default: m.Activity })),
)
/** The height of the charts, so that loading them moves nothing. */
const CHARTS_HEIGHT_PX = 520

export default function OverviewPage() {
  const { can } = useSession()
  const chosen = useRange()
  const { range, zoom } = chosen
  const { buckets, live, error, reload, state } = useStatistics(range)
  const health = useDeliveryHealth()
  const hasNoWebhook = health?.webhooks.length === 0
  const shown = useMemo(() => buckets?.slice(-range.buckets), [buckets, range])

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
      <HealthSentence health={health} />
      {can('webhooks:read') && <Incidents />}
      {hasNoWebhook && can('webhooks:write') && <NoWebhook />}
      <OverviewFigures health={health} range={range} buckets={buckets ?? undefined} live={live} />
      <WaitingByReason health={health} />
      <Section title="Attempts over time">
        <div style={{ minHeight: CHARTS_HEIGHT_PX }}>
          {shown ? (
            <Suspense fallback={<ChartsSkeleton />}>
              <Activity buckets={shown} unit={range.unit} zoom={zoom} />
            </Suspense>
          ) : (
            <ChartsSkeleton />
          )}
        </div>
      </Section>
    </Page>
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
