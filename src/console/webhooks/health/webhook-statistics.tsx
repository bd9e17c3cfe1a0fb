import { SimpleGrid, Skeleton, Stack } from '@mantine/core'
import { lazy, Suspense } from 'react'
import { useRead } from '../../api/use-read.ts'
import { boundsOf } from '../../components/charts/chart-range.ts'
import { RangeSwitch, useRange } from '../../components/charts/range-switch.tsx'
import { Section } from '../../components/page/section.tsx'
import { QueryError } from '../../components/query-error.tsx'
import { useNow } from '../../components/time.tsx'
import { WebhookStatisticsDocument } from '../../generated/graphql.ts'
import { HealthMetrics } from './health-metrics.tsx'
import { useActivity } from './use-activity.ts'

const OutcomeChart = lazy(() =>
  import('../../components/charts/outcome-chart.tsx').then((m) => ({ default: m.OutcomeChart })),
)
const LatencyChart = lazy(() =>
  import('../../components/charts/latency-chart.tsx').then((m) => ({ default: m.LatencyChart })),
)
/** As high as a chart with its legend. */
const loading = <Skeleton height={280} />

/** The attempts of a time range, in numbers and charts, with live updates. */
export function WebhookStatistics({ webhookId }: { webhookId: string }) {
  const range = useRange()
  const { since, bucket } = boundsOf(range, useNow())
  const { data, error, reload } = useRead(WebhookStatisticsDocument, {
    id: webhookId,
    since,
    bucket,
    window: range.window,
  })
  useActivity(webhookId, reload)
  if (error && !data) return <QueryError error={error} retry={reload} />
  const webhook = data?.webhook
  const statistics = webhook?.statistics
  return (
    <Stack gap="lg">
      <RangeSwitch />
      <HealthMetrics health={webhook?.health} />
      <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg">
        <Section title="Attempts">
          {statistics ? (
            <Suspense fallback={loading}>
              <OutcomeChart buckets={statistics} unit={bucket} />
            </Suspense>
          ) : (
            loading
          )}
        </Section>
        <Section title="Latency">
          {statistics ? (
            <Suspense fallback={loading}>
              <LatencyChart buckets={statistics} unit={bucket} />
            </Suspense>
          ) : (
            loading
          )}
        </Section>
      </SimpleGrid>
    </Stack>
  )
}
