import { ActionIcon, Anchor, Box, Center, Skeleton, Text } from '@mantine/core'
import { IconChartBar, IconTable } from '@tabler/icons-react'
import { lazy, Suspense, useState } from 'react'
import { Link } from 'react-router'
import type { StatisticsBucketFragment } from '../../generated/graphql.ts'
import { t } from '../../language/t.ts'
import { formatCount } from '../../lib/format.ts'
import { useTimeZone } from '../../lib/time-zone.ts'
import type { ChartProps } from './attempt-bars.tsx'
import { type ChartRange, endOf, spanOf } from './chart-range.ts'

// The library of charts is large, so pages come without it.
const AttemptBars = lazy(() =>
  import('./attempt-bars.tsx').then((m) => ({ default: m.AttemptBars })),
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
      {asTable ? (
        <BucketTable {...chart} />
      ) : (
        <Suspense fallback={<Skeleton h={HEIGHT_PX} />}>
          <AttemptBars {...chart} />
        </Suspense>
      )}
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

/** For keyboards and screen readers: the links and the numbers of the bars. */
function BucketTable({ buckets, range, classes, pathOf }: ChartProps) {
  return (
    <Box mah={HEIGHT_PX} mr={36} fz="xs" style={{ overflow: 'auto' }}>
      <table aria-label={t('Attempts')} className="ph-table">
        <thead style={{ position: 'sticky', top: 0, background: 'var(--mantine-color-body)' }}>
          <tr>
            {[t('Time'), ...classes.map(({ label }) => label)].map((label) => (
              <th key={label}>{label}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {buckets
            .filter(({ attempts }) => attempts > 0)
            .map((bucket) => (
              <tr key={bucket.start}>
                <th scope="row">
                  <Anchor component={Link} to={pathOf(bucket.start)} inherit>
                    {spanOf(bucket.start, range)}
                  </Anchor>
                </th>
                {classes.map(({ field }) => (
                  <td key={field}>{formatCount(Number(bucket[field]))}</td>
                ))}
              </tr>
            ))}
        </tbody>
      </table>
    </Box>
  )
}
