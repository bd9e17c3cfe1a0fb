import { Anchor, Stack } from '@mantine/core'
import { lazy, Suspense } from 'react'
import { Link } from 'react-router'
import { useRead } from '../../api/use-read.ts'
import type { AttemptBucket } from '../../components/charts/buckets/status-classes.ts'
import { latencyOf, successRateOf, totalsOf } from '../../components/charts/buckets/totals.ts'
import { boundsOf } from '../../components/charts/chart-range.ts'
import { ChartsSkeleton } from '../../components/charts/charts-skeleton.tsx'
import type { PlotMark } from '../../components/charts/plot/plot.tsx'
import { RangeSwitch, useRange } from '../../components/charts/range-switch.tsx'
import { Figures } from '../../components/page/figures.tsx'
import { Section } from '../../components/page/section.tsx'
import { QueryError } from '../../components/query-error.tsx'
import { useNow } from '../../components/time.tsx'
import { type WebhookChangeKind, WebhookStatisticsDocument } from '../../generated/graphql.ts'
import { t } from '../../language/t.ts'
import { formatCount, formatDuration, formatPercent } from '../../lib/format.ts'
import { useSession } from '../../session/session.tsx'
import { useActivity } from './use-health-changes.ts'

const Activity = lazy(() =>
  import('../../components/charts/activity.tsx').then((m) => ({ default: m.Activity })),
)
const loading = <ChartsSkeleton />

/** The attempts of a time range, in numbers and charts, with live updates. */
export function WebhookStatistics({ webhookId }: { webhookId: string }) {
  const withHistory = useSession().can('keys:manage')
  const chosen = useRange()
  const { range, zoom } = chosen
  const bounds = boundsOf(range, useNow())
  const { data, error, reload } = useRead(WebhookStatisticsDocument, { id: webhookId, ...bounds })
  useActivity(webhookId, reload)
  if (error && !data) return <QueryError error={error} reload={reload} />
  const statistics = data?.webhook?.statistics
  return (
    <Stack gap="lg">
      <Metrics buckets={statistics} />
      <Section
        title={t('Attempts')}
        description={withHistory && <MarksLink count={data?.webhook?.changes.length ?? 0} />}
        actions={<RangeSwitch {...chosen} />}
      >
        {statistics ? (
          <Suspense fallback={loading}>
            <Activity
              buckets={statistics}
              backlog={data?.webhook?.backlogHistory}
              marks={data?.webhook?.changes.map(markOf)}
              unit={range.unit}
              webhookId={webhookId}
              zoom={zoom}
            />
          </Suspense>
        ) : (
          loading
        )}
      </Section>
    </Stack>
  )
}

/** Leads from the marks of the charts to the history of the webhook. */
function MarksLink({ count }: { count: number }) {
  if (count === 0) return null
  return (
    <Anchor component={Link} to="?tab=history" inherit>
      {t('{count, plural, one {# change} other {# changes}} marked: show the history', { count })}
    </Anchor>
  )
}

/** The attempts of a time range, in numbers. Undefined while loading. */
function Metrics({ buckets }: { buckets: readonly AttemptBucket[] | null | undefined }) {
  const totals = buckets && totalsOf(buckets)
  const rate = totals && successRateOf(totals)
  const latency = (share: number) => {
    const ms = buckets && latencyOf(buckets, share)
    return buckets && (ms == null ? '–' : formatDuration(ms))
  }
  return (
    <Figures
      figures={[
        { label: t('Attempts'), value: totals && formatCount(totals.attempts) },
        { label: t('Success rate'), value: totals && (rate == null ? '–' : formatPercent(rate)) },
        { label: t('Response time, p50'), value: latency(0.5) },
        { label: 'p95', value: latency(0.95) },
        { label: 'p99', value: latency(0.99) },
      ]}
    />
  )
}

const LABELS: Record<WebhookChangeKind, string> = {
  CREATED: t('Webhook created'),
  UPDATED: t('Settings changed'),
  ENABLED: t('Enabled'),
  DISABLED: t('Disabled'),
  SECRET_ROTATED: t('Secret rotated'),
  PUT_ON_HOLD: t('Put on hold'),
  HOLD_ENDED: t('Hold ended'),
}

/** The mark of a change of a webhook. */
const markOf = ({ at, kind }: { at: string; kind: WebhookChangeKind }): PlotMark => ({
  at,
  label: LABELS[kind],
})
