import { ActionIcon, Box, Center, Skeleton, Text } from '@mantine/core'
import { IconChartBar, IconTable } from '@tabler/icons-react'
import { lazy, Suspense, useState } from 'react'
import type { StatisticsBucketFragment } from '../../generated/graphql.ts'
import { t } from '../../language/t.ts'
import { useTimeZone } from '../../lib/time-zone.ts'
import type { ChartProps } from './attempt-bars.tsx'
import { type ChartRange, endOf } from './chart-range.ts'

// The libraries of charts and of tables are large, so pages come without them.
const AttemptBars = lazy(() =>
  import('./attempt-bars.tsx').then((m) => ({ default: m.AttemptBars })),
)
const BucketTable = lazy(() =>
  import('./bucket-table.tsx').then((m) => ({ default: m.BucketTable })),
)

const HEIGHT_PX = 270

const part = (color: string, stripes: number | null = null) => ({
  color: `var(--posthorn-chart-${color})`,
  stripes,
})

const CLASSES = [
  { field: 'succeeded', status: 'SUCCESS_2XX', label: '2xx', ...part('2xx') },
  { field: 'failed3xx', status: 'REDIRECTION_3XX', label: '3xx', ...part('3xx', 0) },
  { field: 'failed4xx', status: 'CLIENT_ERROR_4XX', label: '4xx', ...part('4xx', 45) },
  { field: 'failed5xx', status: 'SERVER_ERROR_5XX', label: '5xx', ...part('5xx') },
  {
    field: 'failedWithoutResponse',
    status: 'NO_RESPONSE',
    label: t('No response'),
    ...part('none', 90),
  },
] as const

type Count = (typeof CLASSES)[number]['field'] | 'attempts' | 'failed'

export const sumOf = (buckets: readonly StatisticsBucketFragment[], count: Count) =>
  buckets.reduce((sum, bucket) => sum + bucket[count], 0)

interface AttemptsChartProps {
  /** Oldest first, including buckets without attempts. Undefined while loading. */
  readonly buckets: readonly StatisticsBucketFragment[] | undefined
  readonly range: ChartRange
  /** Attempts of this webhook only. */
  readonly webhookId?: string
}

/** Attempts over time by class of response, in bars or as a table. Each part leads to its deliveries. */
export function AttemptsChart({ buckets, range, webhookId }: AttemptsChartProps) {
  const [asTable, setAsTable] = useState(false)
  useTimeZone()
  if (!buckets) return <Skeleton h={HEIGHT_PX} />
  if (sumOf(buckets, 'attempts') === 0) {
    return (
      <Center h={HEIGHT_PX}>
        <Text c="dimmed" size="sm">
          {t('No attempts in this time range.')}
        </Text>
      </Center>
    )
  }
  const chart: ChartProps = {
    buckets,
    range,
    classes: CLASSES.filter(({ field }) => field === 'succeeded' || sumOf(buckets, field) > 0),
    pathOf: (since, status) =>
      `/deliveries?${new URLSearchParams({
        ...(webhookId && { webhook: webhookId }),
        ...(status && { status }),
        since,
        until: endOf(since, range),
      })}`,
  }
  const Icon = asTable ? IconChartBar : IconTable
  return (
    <Box mih={HEIGHT_PX} pos="relative">
      <Suspense fallback={<Skeleton h={HEIGHT_PX} />}>
        {asTable ? <BucketTable {...chart} /> : <AttemptBars {...chart} />}
      </Suspense>
      <ActionIcon
        variant="subtle"
        color="gray"
        pos="absolute"
        top={0}
        right={0}
        aria-label={asTable ? t('Show as a chart') : t('Show as a table')}
        onClick={() => setAsTable(!asTable)}
      >
        <Icon size={16} />
      </ActionIcon>
    </Box>
  )
}
