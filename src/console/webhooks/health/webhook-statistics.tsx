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
import { Time, useNow } from '../../components/time.tsx'
import {
  type WebhookChangeKind,
  type WebhookDetailQuery,
  WebhookStatisticsDocument,
} from '../../generated/graphql.ts'
import { rich, t } from '../../language/t.ts'
import { formatCount, formatDuration, formatPercent } from '../../lib/format.ts'
import { useSession } from '../../session/session.tsx'
import { MAX_COUNTED } from './trouble-text.tsx'
import { useActivity } from './use-health-changes.ts'

const Activity = lazy(() =>
  import('../../components/charts/activity.tsx').then((m) => ({ default: m.Activity })),
)
const loading = <ChartsSkeleton />

type Webhook = NonNullable<WebhookDetailQuery['webhook']>

/** The attempts of a time range, in numbers and charts, with live updates. */
export function WebhookStatistics({ webhook }: { webhook: Webhook }) {
  const { id: webhookId } = webhook
  const withHistory = useSession().can('keys:manage')
  const chosen = useRange()
  const { range, zoom } = chosen
  const bounds = boundsOf(range, useNow())
  const { data, error, reload } = useRead(WebhookStatisticsDocument, { id: webhookId, ...bounds })
  useActivity(webhookId, reload)
  if (error && !data) return <QueryError error={error} reload={reload} />
  const statistics = data?.webhook?.statistics
  const filteredOut = statistics?.reduce((sum, bucket) => sum + bucket.filteredOut, 0)
  return (
    <Stack gap="lg">
      <Metrics buckets={statistics} webhook={webhook} filteredOut={filteredOut} />
      <Section
        title={t('Attempts')}
        description={withHistory && <MarksLink count={data?.webhook?.changes.length ?? 0} />}
        actions={<RangeSwitch {...chosen} />}
      >
        {statistics ? (
          <Suspense fallback={loading}>
            <Activity
              buckets={statistics}
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

interface MetricsProps {
  /** Of a time range. Undefined while loading. */
  readonly buckets: readonly AttemptBucket[] | null | undefined
  readonly webhook: Webhook
  /** The events that the filter refused in the time range. Undefined while loading. */
  readonly filteredOut: number | undefined
}

/** The attempts of a time range in numbers, and what waits now. */
function Metrics({ buckets, webhook, filteredOut }: MetricsProps) {
  const { backlog, health, filterText } = webhook
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
        {
          label: t('Response time, p95'),
          value: latency(0.95),
          note: buckets && `p50 ${latency(0.5)} · p99 ${latency(0.99)}`,
        },
        filterText !== null && {
          label: t('Refused by the filter'),
          value: filteredOut === undefined ? undefined : formatCount(filteredOut),
        },
        backlog && {
          label: t('Waiting'),
          value:
            backlog.count < MAX_COUNTED
              ? formatCount(backlog.count)
              : `${formatCount(MAX_COUNTED)}+`,
          note:
            backlog.oldest &&
            rich('oldest {time}', {
              time: <Time at={backlog.oldest.createdAt} as="elapsed" />,
            }),
        },
        health && {
          label: t('Last success'),
          value: health.lastSuccessAt ? (
            <Time at={health.lastSuccessAt} as="relative" />
          ) : (
            t('None yet')
          ),
        },
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
