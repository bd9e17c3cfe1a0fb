import { Stack } from '@mantine/core'
import { lazy, Suspense } from 'react'
import { useRead } from '../../api/use-read.ts'
import { boundsOf } from '../../components/charts/chart-range.ts'
import { ChartsSkeleton } from '../../components/charts/charts-skeleton.tsx'
import type { PlotMark } from '../../components/charts/plot.tsx'
import { RangeSwitch, useRange } from '../../components/charts/range-switch.tsx'
import type { AttemptBucket } from '../../components/charts/status-classes.ts'
import { latencyOf, successRateOf, totalsOf } from '../../components/charts/totals.ts'
import { Section } from '../../components/page/section.tsx'
import { QueryError } from '../../components/query-error.tsx'
import { useNow } from '../../components/time.tsx'
import { type WebhookChangeKind, WebhookStatisticsDocument } from '../../generated/graphql.ts'
import { HealthMetrics } from './health-metrics.tsx'
import { useActivity } from './use-health-changes.ts'

const Activity = lazy(() =>
  import('../../components/charts/activity.tsx').then((m) => ({ default: m.Activity })),
)
const loading = <ChartsSkeleton />

/** The attempts of a time range, in numbers and charts, with live updates. */
export function WebhookStatistics({ webhookId }: { webhookId: string }) {
  const chosen = useRange()
  const { range, zoom } = chosen
  const bounds = boundsOf(range, useNow())
  const { data, error, reload } = useRead(WebhookStatisticsDocument, { id: webhookId, ...bounds })
  useActivity(webhookId, reload)
  if (error && !data) return <QueryError error={error} reload={reload} />
  const statistics = data?.webhook?.statistics
  return (
    <Stack gap="lg">
      <HealthMetrics health={statistics ? metricsOf(statistics) : undefined} />
      <Section title="Attempts" actions={<RangeSwitch {...chosen} />}>
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

function metricsOf(buckets: readonly AttemptBucket[]) {
  const totals = totalsOf(buckets)
  const [p50Ms, p95Ms, p99Ms] = [0.5, 0.95, 0.99].map((share) => latencyOf(buckets, share))
  return {
    attempts: totals.attempts,
    successRate: successRateOf(totals),
    latency: p50Ms != null && p95Ms != null && p99Ms != null ? { p50Ms, p95Ms, p99Ms } : null,
  }
}

const LABELS: Record<WebhookChangeKind, string> = {
  CREATED: 'Webhook created',
  UPDATED: 'Settings changed',
  ENABLED: 'Enabled',
  DISABLED: 'Disabled',
  SECRET_ROTATED: 'Secret rotated',
  PUT_ON_HOLD: 'Put on hold',
  HOLD_ENDED: 'Hold ended',
}

/** The mark of a change of a webhook. */
export const markOf = ({ at, kind }: { at: string; kind: WebhookChangeKind }): PlotMark => ({
  at,
  label: LABELS[kind],
})
