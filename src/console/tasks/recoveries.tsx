import { Text } from '@mantine/core'
import { useMemo } from 'react'
import { useRead } from '../api/use-read.ts'
import { type Column, List } from '../components/lists/list.tsx'
import { useCursors } from '../components/lists/use-cursors.ts'
import { Section } from '../components/page/section.tsx'
import { Time } from '../components/time.tsx'
import { formatCount } from '../format.ts'
import { RecoveriesDocument, type TaskFieldsFragment } from '../generated/graphql.ts'
import { t } from '../strings/t.ts'
import { RecoveredTimes, TaskStateBadge } from './task-result.tsx'
import { useReloadEvery } from './use-task.ts'

const REFRESH_EVERY_MS = 3_000

const COLUMNS: readonly Column<TaskFieldsFragment>[] = [
  { label: t('tasks:started'), cell: ({ createdAt }) => <Time at={createdAt} /> },
  { label: t('tasks:recovered'), cell: (task) => <RecoveredTimes task={task} /> },
  {
    label: t('tasks:deliveries'),
    cell: ({ recovery }) => recovery && t(`tasks:include.${recovery.include}`),
  },
  { label: t('tasks:state.label'), width: 200, cell: (task) => <TaskStateBadge task={task} /> },
  {
    label: t('tasks:columns.queued'),
    end: true,
    width: 100,
    cell: ({ changed }) => formatCount(changed),
  },
  {
    label: t('tasks:columns.delivered'),
    end: true,
    width: 100,
    cell: ({ succeeded }) => formatCount(succeeded),
  },
  {
    label: t('tasks:columns.failed'),
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
    <Section title={t('tasks:recoveries')}>
      <List
        label={t('tasks:recoveries')}
        columns={COLUMNS}
        rows={tasks?.nodes}
        keyOf={({ id }) => id}
        to={({ id }) => `/tasks/${id}`}
        error={error}
        stale={stale}
        retry={reload}
        empty={
          <Text size="sm" c="dimmed">
            {t('tasks:none')}
          </Text>
        }
        pages={{ info: tasks?.pageInfo, cursors }}
      />
    </Section>
  )
}
