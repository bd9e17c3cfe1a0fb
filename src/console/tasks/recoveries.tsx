import { Text } from '@mantine/core'
import { useMemo } from 'react'
import { useRead } from '../api/use-read.ts'
import { type Column, List } from '../components/lists/list.tsx'
import { useCursors } from '../components/lists/use-cursors.ts'
import { Section } from '../components/page/section.tsx'
import { Time } from '../components/time.tsx'
import { RecoveriesDocument, type TaskFieldsFragment } from '../generated/graphql.ts'
import { formatCount } from '../lib/format.ts'
import { RecoveredTimes, TaskStateBadge } from './task-result.tsx'
import { useReloadEvery } from './use-task.ts'

const REFRESH_EVERY_MS = 3_000

const TEXTS = {
  ALL: 'Failed and missed',
  FAILED: 'Failed',
  MISSED: 'Missed',
}

const COLUMNS: readonly Column<TaskFieldsFragment>[] = [
  { label: 'Started', cell: ({ createdAt }) => <Time at={createdAt} /> },
  { label: 'Events published', cell: (task) => <RecoveredTimes task={task} /> },
  {
    label: 'Deliveries',
    cell: ({ recovery }) => recovery && TEXTS[recovery.include],
  },
  { label: 'State', width: 200, cell: (task) => <TaskStateBadge task={task} /> },
  {
    label: 'Queued',
    end: true,
    width: 100,
    cell: ({ changed }) => formatCount(changed),
  },
  {
    label: 'Delivered',
    end: true,
    width: 100,
    cell: ({ succeeded }) => formatCount(succeeded),
  },
  {
    label: 'Failed',
    end: true,
    width: 90,
    cell: ({ exhausted }) => formatCount(exhausted),
  },
]

/** The recoveries of a webhook, including a running one. */
export function Recoveries({ webhookId }: { webhookId: string }) {
  const cursors = useCursors(10)
  const { data, error, stale, reload } = useRead(
    RecoveriesDocument,
    { webhookId, ...cursors.variables },
    { context: useMemo(() => ({ additionalTypenames: ['BulkTask'] }), []) },
  )
  const tasks = data?.bulkTasks
  const runs = tasks?.nodes.some(({ state, unfinished }) => state === 'RUNNING' || unfinished > 0)
  useReloadEvery(runs ? REFRESH_EVERY_MS : null, reload)
  return (
    <Section title="Recoveries">
      <List
        label="Recoveries"
        columns={COLUMNS}
        rows={tasks?.nodes}
        keyOf={({ id }) => id}
        to={({ id }) => `/tasks/${id}`}
        error={error}
        stale={stale}
        reload={reload}
        empty={
          <Text size="sm" c="dimmed">
            No recoveries yet.
          </Text>
        }
        pages={{ info: tasks?.pageInfo, cursors }}
      />
    </Section>
  )
}
