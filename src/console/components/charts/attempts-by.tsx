import { Group, SegmentedControl, Skeleton, Text } from '@mantine/core'
import { useState } from 'react'
import { useRead } from '../../api/use-read.ts'
import { type BucketUnit, FailureCausesDocument } from '../../generated/graphql.ts'
import { formatCount } from '../../lib/format.ts'
import { QueryError } from '../query-error.tsx'
import { AttemptsChart } from './attempts-chart.tsx'
import type { Bar } from './buckets/fold-buckets.ts'
import { causeStacks, statusStacks } from './buckets/stacks.ts'
import { totalsOf } from './buckets/totals.ts'
import type { PlotMark } from './plot/plot.tsx'

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
          aria-label="Group by"
          data={[
            { value: 'status', label: 'By status' },
            { value: 'cause', label: 'By cause' },
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
      label={`Attempts over time: ${formatCount(totals.succeeded)} succeeded, ${formatCount(totals.failed)} failed.`}
      stacks={statusStacks(props.bars)}
      filters={{}}
      empty="No attempts in this time range."
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
  if (error && !causes) return <QueryError error={error} reload={reload} />
  if (!causes) return <Skeleton h={286} />
  return (
    <>
      <AttemptsChart
        {...props}
        label="Failed attempts over time by cause."
        stacks={causeStacks(bars, causes.buckets)}
        filters={{ response: 'FAILED' }}
        empty="No failures in this time range."
      />
      {!causes.countIsExact && (
        <Text size="xs" c="dimmed">
          Counting stopped at the newest 50,000 failures.
        </Text>
      )}
    </>
  )
}
