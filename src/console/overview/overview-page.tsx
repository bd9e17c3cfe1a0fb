import { Skeleton } from '@mantine/core'
import { lazy, Suspense, useMemo } from 'react'
import { useRead } from '../api/use-read.ts'
import { RangeSwitch, useRange } from '../components/charts/range-switch.tsx'
import { LiveBadge } from '../components/live-badge.tsx'
import { Page } from '../components/page/page.tsx'
import { Section } from '../components/page/section.tsx'
import { QueryError } from '../components/query-error.tsx'
import { OverviewFirstStepsDocument } from '../generated/graphql.ts'
import { useSession } from '../session/session.tsx'
import { Attention } from './attention.tsx'
import { FirstSteps } from './first-steps.tsx'
import { Tiles } from './tiles.tsx'
import { useStatistics } from './use-statistics.ts'

const OutcomeChart = lazy(() =>
  import('../components/charts/outcome-chart.tsx').then((m) => ({ default: m.OutcomeChart })),
)
/** The height of the chart with its legend, so that loading the chart moves nothing. */
const CHART_HEIGHT_PX = 280

export default function OverviewPage() {
  const { can } = useSession()
  const context = useMemo(() => ({ additionalTypenames: ['Webhook', 'Delivery', 'Event'] }), [])
  const { data } = useRead(
    OverviewFirstStepsDocument,
    { withWebhooks: can('webhooks:read'), withEvents: can('events:read') },
    { context },
  )
  if (data?.deliveries?.nodes.length === 0) {
    return (
      <Page title="Overview">
        <FirstSteps
          webhookId={data.webhooks?.nodes[0]?.id ?? null}
          published={Boolean(data.events?.nodes.length)}
        />
      </Page>
    )
  }
  return <Overview />
}

function Overview() {
  const { can } = useSession()
  const range = useRange()
  const { buckets, live, error, reload, state } = useStatistics(range)
  const shown = useMemo(() => buckets?.slice(-range.buckets), [buckets, range])

  return (
    <Page title="Overview" aside={<LiveBadge state={state} />} actions={<RangeSwitch />}>
      {error && !buckets && <QueryError error={error} retry={reload} />}
      <Tiles range={range} buckets={buckets ?? undefined} live={live} />
      <Section title="Attempts over time">
        <div style={{ minHeight: CHART_HEIGHT_PX }}>
          {shown ? (
            <Suspense fallback={<Skeleton h={CHART_HEIGHT_PX} />}>
              <OutcomeChart buckets={shown} unit={range.unit} />
            </Suspense>
          ) : (
            <Skeleton h={CHART_HEIGHT_PX} animate={!error} />
          )}
        </div>
      </Section>
      {can('webhooks:read') && <Attention />}
    </Page>
  )
}
