import { Group, SegmentedControl, Skeleton, Text } from '@mantine/core'
import { useState } from 'react'
import { useRead } from '../../api/use-read.ts'
import { formatCount } from '../../format.ts'
import { type BucketUnit, FailureCausesDocument } from '../../generated/graphql.ts'
import { t } from '../../strings/t.ts'
import { QueryError } from '../query-error.tsx'
import { AttemptsChart } from './attempts-chart.tsx'
import type { Bar } from './fold-buckets.ts'
import type { PlotMark } from './plot.tsx'
import { causeStacks, statusStacks } from './stacks.ts'
import { totalsOf } from './totals.ts'

interface AttemptsByProps {
  readonly bars: readonly Bar[]
  readonly unit: BucketUnit
  readonly webhookId?: string | undefined
  readonly marks: readonly PlotMark[]
  zoom(since: string, until: string): void
}

/** Attempts over time by class of response or, at a switch, failures by cause. */
export function AttemptsBy(props: AttemptsByProps) {
  const [by, setBy] = useState<'status' | 'cause'>('status')
  return (
    <>
      <Group justify="end" mb="xs">
        <SegmentedControl
          size="xs"
          aria-label={t('charts.by.label')}
          data={[
            { value: 'status', label: t('charts.by.status') },
            { value: 'cause', label: t('charts.by.cause') },
          ]}
          value={by}
          onChange={setBy}
        />
      </Group>
      {by === 'status' ? <ByStatus {...props} /> : <ByCause {...props} />}
    </>
  )
}

function ByStatus(props: AttemptsByProps) {
  const totals = totalsOf(props.bars)
  return (
    <AttemptsChart
      {...props}
      label={t('charts.attempts.summary', {
        succeeded: formatCount(totals.succeeded),
        failed: formatCount(totals.failed),
      })}
      stacks={statusStacks(props.bars)}
      filters={{}}
      empty={t('charts.noAttempts')}
    />
  )
}

function ByCause(props: AttemptsByProps) {
  const { bars, unit, webhookId } = props
  const { data, error, reload } = useRead(FailureCausesDocument, {
    since: bars[0]?.start ?? '',
    until: bars.at(-1)?.end ?? '',
    bucket: unit,
    webhookId: webhookId ?? null,
  })
  const causes = data?.failureCauses
  if (error && !causes) return <QueryError error={error} retry={reload} />
  if (!causes) return <Skeleton h={286} />
  return (
    <>
      <AttemptsChart
        {...props}
        label={t('charts.causes')}
        stacks={causeStacks(bars, causes.buckets)}
        filters={{ response: 'FAILED' }}
        empty={t('charts.noFailures')}
      />
      {!causes.countIsExact && (
        <Text size="xs" c="dimmed">
          {t('charts.notExact')}
        </Text>
      )}
    </>
  )
}
