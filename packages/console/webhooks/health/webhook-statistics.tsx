import { Skeleton, Stack } from '@mantine/core'
import { useRead } from '../../api/use-read.ts'
import { AttemptsChart, CHART_HEIGHT_PX } from '../../components/charts/attempts-chart.tsx'
import { type AttemptBucket, type Totals, totalsOf } from '../../components/charts/buckets.ts'
import { boundsOf } from '../../components/charts/chart-range.ts'
import { RangeSwitch, useRange } from '../../components/charts/range-switch.tsx'
import { Figures } from '../../components/page/figures.tsx'
import { Section } from '../../components/page/section.tsx'
import { QueryError } from '../../components/query-error.tsx'
import { Time, useNow } from '../../components/time.tsx'
import { type WebhookDetailQuery, WebhookStatisticsDocument } from '../../generated/graphql.ts'
import { rich, t } from '../../language/t.ts'
import { formatCount, formatDuration, formatPercent } from '../../lib/format.ts'
import { MAX_COUNTED } from './trouble-text.tsx'
import { useActivity } from './use-health-changes.ts'

type Webhook = NonNullable<WebhookDetailQuery['webhook']>

/** The attempts of a time range, in numbers and charts, with live updates. */
export function WebhookStatistics({ webhook }: { webhook: Webhook }) {
  const { id: webhookId } = webhook
  const chosen = useRange()
  const { range } = chosen
  const bounds = boundsOf(range, useNow())
  const { data, error, reload } = useRead(WebhookStatisticsDocument, { id: webhookId, ...bounds })
  useActivity(webhookId, reload)
  if (error && !data) return <QueryError error={error} reload={reload} />
  const statistics = data?.webhook?.statistics
  const filteredOut = statistics?.reduce((sum, bucket) => sum + bucket.filteredOut, 0)
  return (
    <Stack gap="lg">
      <Metrics
        buckets={statistics}
        webhook={webhook}
        latency={data?.webhook?.health?.latency}
        filteredOut={filteredOut}
      />
      <Section title={t('Attempts')} actions={<RangeSwitch {...chosen} />}>
        {statistics ? (
          <AttemptsChart buckets={statistics} range={range} webhookId={webhookId} />
        ) : (
          <Skeleton h={CHART_HEIGHT_PX} />
        )}
      </Section>
    </Stack>
  )
}

interface MetricsProps {
  /** Of a time range. Undefined while loading. */
  readonly buckets: readonly AttemptBucket[] | null | undefined
  readonly webhook: Webhook
  /** Of the last 24 hours. */
  readonly latency: { readonly p50Ms: number; readonly p95Ms: number } | null | undefined
  /** The events that the filter refused in the time range. Undefined while loading. */
  readonly filteredOut: number | undefined
}

/** The attempts of a time range in numbers, and what waits now. */
function Metrics({ buckets, webhook, latency, filteredOut }: MetricsProps) {
  const { backlog, health, filterText } = webhook
  const totals = buckets && totalsOf(buckets)
  return (
    <Figures
      figures={[
        { label: t('Attempts'), value: totals && formatCount(totals.attempts) },
        { label: t('Success rate'), value: totals && rateOf(totals) },
        {
          label: t('Response time, p95'),
          value: buckets && (latency ? formatDuration(latency.p95Ms) : '–'),
          note: latency && `p50 ${formatDuration(latency.p50Ms)}`,
        },
        filterText !== null && {
          label: 'Refused by the filter',
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

const rateOf = ({ attempts, succeeded }: Totals) =>
  attempts === 0 ? '–' : formatPercent(succeeded / attempts)
