import { Text } from '@mantine/core'
import { useEffect, useMemo } from 'react'
import { useRead } from '../../api/use-read.ts'
import { type Column, List } from '../../components/lists/list.tsx'
import { useCursors } from '../../components/lists/use-cursors.ts'
import { Section } from '../../components/page/section.tsx'
import { Time } from '../../components/time.tsx'
import { RecoveryListDocument, type RecoveryRowFragment } from '../../generated/graphql.ts'
import { formatCount } from '../../lib/format.ts'
import { RecoveryStateBadge } from './recovery-state-badge.tsx'

const REFRESH_EVERY_MS = 3_000

const INCLUDES = {
  ALL: 'Failed and missed',
  FAILED: 'Failed',
  MISSED: 'Missed',
}

const COLUMNS: readonly Column<RecoveryRowFragment>[] = [
  { label: 'Started', cell: ({ createdAt }) => <Time at={createdAt} /> },
  {
    label: 'Events published',
    cell: ({ since, until }) => (
      <Text size="sm">
        <Time at={since} /> to <Time at={until} />
      </Text>
    ),
  },
  { label: 'Deliveries', cell: ({ include }) => INCLUDES[include] },
  { label: 'State', width: 200, cell: (recovery) => <RecoveryStateBadge recovery={recovery} /> },
  {
    label: 'Queued',
    end: true,
    width: 100,
    cell: ({ redelivered, created }) => formatCount(redelivered + created),
  },
  { label: 'Delivered', end: true, width: 100, cell: ({ succeeded }) => formatCount(succeeded) },
  { label: 'Failed', end: true, width: 90, cell: ({ exhausted }) => formatCount(exhausted) },
]

/** The recoveries of a webhook, including a running one. */
export function PastRecoveries({ webhookId }: { webhookId: string }) {
  const cursors = useCursors(10)
  const { data, error, stale, reload } = useRead(
    RecoveryListDocument,
    { id: webhookId, ...cursors.variables },
    { context: useMemo(() => ({ additionalTypenames: ['Recovery'] }), []) },
  )
  const recoveries = data?.webhook?.recoveries
  const runs =
    recoveries?.nodes.some(({ state, unfinished }) => state === 'RUNNING' || unfinished > 0) ??
    false
  useEffect(() => {
    if (!runs) return
    const timer = setInterval(reload, REFRESH_EVERY_MS)
    return () => clearInterval(timer)
  }, [runs, reload])
  return (
    <Section title="Recoveries">
      <List
        label="Recoveries"
        columns={COLUMNS}
        rows={recoveries?.nodes}
        keyOf={({ id }) => id}
        to={({ id }) => `?recovery=${id}`}
        error={error}
        stale={stale}
        reload={reload}
        empty={
          <Text size="sm" c="dimmed">
            No recoveries yet.
          </Text>
        }
        pages={{ info: recoveries?.pageInfo, cursors }}
      />
    </Section>
  )
}
