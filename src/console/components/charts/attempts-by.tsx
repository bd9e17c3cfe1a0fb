import { Menu, Skeleton, Text } from '@mantine/core'
import { IconStack2 } from '@tabler/icons-react'
import { type ReactNode, useState } from 'react'
import { useRead } from '../../api/use-read.ts'
import { type BucketUnit, FailureCausesDocument } from '../../generated/graphql.ts'
import { t } from '../../language/t.ts'
import { formatCount } from '../../lib/format.ts'
import { QueryError } from '../query-error.tsx'
import { AttemptsChart, HEIGHT_PX } from './attempts-chart.tsx'
import type { Bar } from './buckets/fold-buckets.ts'
import { causeStacks, statusStacks } from './buckets/stacks.ts'
import { totalsOf } from './buckets/totals.ts'
import { ChartFrame } from './chart-frame.tsx'
import type { PlotMark } from './plot/plot.tsx'

interface AttemptsByProps {
  readonly bars: readonly Bar[]
  readonly unit: BucketUnit
  readonly webhookId?: string | undefined
  readonly marks: readonly PlotMark[]
  zoom(since: string, until: string): void
}

/** Attempts over time by class of response or, chosen in the menu, failures by cause. */
export function AttemptsBy(props: AttemptsByProps) {
  const [byCause, setByCause] = useState(false)
  const menu = (
    <Menu.Item leftSection={<IconStack2 size={14} />} onClick={() => setByCause(!byCause)}>
      {byCause ? t('All attempts by status') : t('Failures by cause')}
    </Menu.Item>
  )
  return byCause ? <ByCause {...props} menu={menu} /> : <ByStatus {...props} menu={menu} />
}

interface GroupedProps extends AttemptsByProps {
  readonly menu: ReactNode
}

function ByStatus(props: GroupedProps) {
  const totals = totalsOf(props.bars)
  return (
    <AttemptsChart
      {...props}
      label={t('Attempts over time: {succeeded} succeeded, {failed} failed.', {
        succeeded: formatCount(totals.succeeded),
        failed: formatCount(totals.failed),
      })}
      stacks={statusStacks(props.bars)}
      filters={{}}
      empty={t('No attempts in this time range.')}
    />
  )
}

function ByCause(props: GroupedProps) {
  const { bars, unit, webhookId } = props
  const { data, error, reload } = useRead(FailureCausesDocument, {
    since: bars[0]?.start ?? '',
    until: bars.at(-1)?.end ?? '',
    bucket: unit,
    webhookId: webhookId ?? null,
  })
  const causes = data?.failureCauses
  if (!causes) {
    return (
      <ChartFrame
        label=""
        heightPx={HEIGHT_PX}
        columns={[]}
        rows={() => []}
        legend={null}
        menu={props.menu}
      >
        {error ? <QueryError error={error} reload={reload} /> : <Skeleton h={HEIGHT_PX} />}
      </ChartFrame>
    )
  }
  return (
    <>
      <AttemptsChart
        {...props}
        label={t('Failed attempts over time by cause.')}
        stacks={causeStacks(bars, causes.buckets)}
        filters={{ status: 'FAILED' }}
        empty={t('No failures in this time range.')}
      />
      {!causes.countIsExact && (
        <Text size="xs" c="dimmed">
          {t('Counting stopped at the newest 50,000 failures.')}
        </Text>
      )}
    </>
  )
}
