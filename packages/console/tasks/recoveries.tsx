import { Text } from '@mantine/core'
import { useMemo } from 'react'
import { usePolling } from '../api/use-polling.ts'
import { useRead } from '../api/use-read.ts'
import { type Column, List } from '../components/lists/list.tsx'
import { useCursors } from '../components/lists/use-cursors.ts'
import { Section } from '../components/page/section.tsx'
import { Time } from '../components/time.tsx'
import { RecoveriesDocument, type TaskFieldsFragment } from '../generated/graphql.ts'
import { t } from '../language/t.ts'
import { formatCount } from '../lib/format.ts'
import { RecoveredTimes, TaskStateBadge, taskHeading } from './task-result.tsx'

const REFRESH_EVERY_MS = 3_000

const COLUMNS: readonly Column<TaskFieldsFragment>[] = [
  { label: 'Started', cell: ({ createdAt }) => <Time at={createdAt} /> },
  { label: 'Events published', cell: (task) => <RecoveredTimes task={task} /> },
  { label: t('Deliveries'), cell: taskHeading },
  { label: t('State'), width: 200, cell: (task) => <TaskStateBadge task={task} /> },
  { label: t('Queued'), end: true, width: 100, cell: ({ changed }) => formatCount(changed) },
]

/** The recoveries of a webhook, including a running one. */
export function Recoveries({ webhookId }: { webhookId: string }) {
  const cursors = useCursors(10)
  const { data, ...read } = useRead(
    RecoveriesDocument,
    { webhookId, ...cursors.variables },
    { context: useMemo(() => ({ additionalTypenames: ['BulkTask'] }), []) },
  )
  const tasks = data?.bulkTasks
  const runs = tasks?.nodes.some(({ state }) => state === 'RUNNING')
  usePolling(runs ? REFRESH_EVERY_MS : null, read.reload)
  return (
    <Section title="Recoveries">
      <List
        label="Recoveries"
        columns={COLUMNS}
        rows={tasks?.nodes}
        keyOf={({ id }) => id}
        to={({ id }) => `/tasks/${id}`}
        {...read}
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
