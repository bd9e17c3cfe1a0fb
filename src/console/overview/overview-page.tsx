import { Skeleton } from '@mantine/core'
import { lazy, Suspense, useMemo } from 'react'
import { useRead } from '../api/use-read.ts'
import { RangeSwitch } from '../components/charts/range-switch.tsx'
import { useRange } from '../components/charts/use-range.ts'
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

const Activity = lazy(() =>
  import('../components/charts/activity.tsx').then((m) => ({ default: m.Activity })),
)
/** The height of the charts, so that loading them moves nothing. */
const CHARTS_HEIGHT_PX = 520

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
  const chosen = useRange()
  const { range, zoom } = chosen
  const { buckets, live, error, reload, state } = useStatistics(range)
  const shown = useMemo(() => buckets?.slice(-range.buckets), [buckets, range])

  return (
    <Page
      title="Overview"
      aside={<LiveBadge state={state} />}
      actions={<RangeSwitch {...chosen} />}
    >
      {error && !buckets && <QueryError error={error} retry={reload} />}
      <Tiles range={range} buckets={buckets ?? undefined} live={live} />
      <Section title="Attempts over time">
        <div style={{ minHeight: CHARTS_HEIGHT_PX }}>
          {shown ? (
            <Suspense fallback={<Skeleton h={CHARTS_HEIGHT_PX} />}>
              <Activity buckets={shown} unit={range.unit} zoom={zoom} />
            </Suspense>
          ) : (
            <Skeleton h={CHARTS_HEIGHT_PX} animate={!error} />
          )}
        </div>
      </Section>
      {can('webhooks:read') && <Attention />}
    </Page>
  )
}
