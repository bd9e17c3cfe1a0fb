import { lazy, type ReactNode, Suspense, useMemo } from 'react'
import { DEFAULT_RANGE } from '../components/charts/chart-range.ts'
import { ChartsSkeleton } from '../components/charts/charts-skeleton.tsx'
import { RangeSwitch, useRange } from '../components/charts/range-switch.tsx'
import { LiveBadge } from '../components/live-badge.tsx'
import { Page } from '../components/page/page.tsx'
import { Section } from '../components/page/section.tsx'
import { QueryError } from '../components/query-error.tsx'
import { Incidents } from '../incidents/incidents.tsx'
import { FirstSteps } from '../onboarding/first-steps.tsx'
import { useSteps } from '../onboarding/use-steps.ts'
import { useSession } from '../session/session.tsx'
import { HealthSentence, useDeliveryHealth, WaitingByReason } from './delivery-health.tsx'
import { OverviewFigures } from './figures.tsx'
import { useStatistics } from './use-statistics.ts'

const Activity = lazy(() =>
  import('../components/charts/activity.tsx').then((m) => ({ default: m.Activity })),
)
/** The height of the charts, so that loading them moves nothing. */
const CHARTS_HEIGHT_PX = 520
const NONE = { succeeded: 0, failed: 0 }

export default function OverviewPage() {
  const steps = useSteps()
  const { data, error, hidden } = steps
  // Nothing below the first steps moves when they appear.
  if (!hidden && !data && !error) {
    return (
      <Page title="Overview">
        <OverviewFigures health={undefined} range={DEFAULT_RANGE} buckets={undefined} live={NONE} />
        <Section title="Attempts over time">
          <ChartsSkeleton />
        </Section>
      </Page>
    )
  }
  const done = data?.firstSteps
  if (!hidden && done && !done.testDelivered && !done.eventPublished) {
    return (
      <Page title="Overview">
        <FirstSteps {...steps} />
      </Page>
    )
  }
  return <Overview firstSteps={!hidden && <FirstSteps {...steps} />} />
}

function Overview({ firstSteps }: { firstSteps: ReactNode }) {
  const { can } = useSession()
  const chosen = useRange()
  const { range, zoom } = chosen
  const { buckets, live, error, reload, state } = useStatistics(range)
  const health = useDeliveryHealth()
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
      {firstSteps}
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
