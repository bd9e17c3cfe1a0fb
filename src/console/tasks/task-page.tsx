import { Stack, Text, Title } from '@mantine/core'
import { useMemo } from 'react'
import { useParams } from 'react-router'
import { useRead } from '../api/use-read.ts'
import { List } from '../components/lists/list.tsx'
import { useCursors } from '../components/lists/use-cursors.ts'
import { DetailSkeleton } from '../components/page/detail-skeleton.tsx'
import { EmptyState } from '../components/page/empty-state.tsx'
import { Facts } from '../components/page/facts.tsx'
import { Page } from '../components/page/page.tsx'
import { QueryError } from '../components/query-error.tsx'
import { Time } from '../components/time.tsx'
import { deliveryColumns } from '../deliveries/delivery-columns.tsx'
import { TaskFailuresDocument, type TaskFieldsFragment } from '../generated/graphql.ts'
import { useSession } from '../session/session.tsx'
import { t } from '../strings/t.ts'
import {
  RecoveredTimes,
  StopTask,
  TaskResult,
  TaskStateBadge,
  taskHeading,
} from './task-result.tsx'
import { useTask } from './use-task.ts'

const COLUMNS = deliveryColumns(null)
const PARENTS = [[t('deliveries:title'), '/deliveries']] as const

/** One bulk action: what came of it, and which deliveries failed again. */
export default function TaskPage() {
  const { id = '' } = useParams()
  const { task, error, reload } = useTask(id)
  if (error && !task) {
    return (
      <Page title={t('tasks:title')} breadcrumbs={PARENTS}>
        <QueryError error={error} retry={reload} />
      </Page>
    )
  }
  if (!task) {
    return (
      <Page title={t('tasks:title')} breadcrumbs={PARENTS}>
        {task === null ? (
          <EmptyState title={t('tasks:notFound')}>{t('tasks:notFoundHint')}</EmptyState>
        ) : (
          <DetailSkeleton />
        )}
      </Page>
    )
  }
  return (
    <Page
      title={taskHeading(task)}
      breadcrumbs={PARENTS}
      aside={<TaskStateBadge task={task} />}
      actions={<StopTask task={task} />}
    >
      <TaskResult task={task} />
      <Facts
        facts={[
          { label: t('tasks:started'), value: <Time at={task.createdAt} /> },
          task.finishedAt
            ? { label: t('tasks:finished'), value: <Time at={task.finishedAt} /> }
            : null,
          task.recovery
            ? { label: t('tasks:recovered'), value: <RecoveredTimes task={task} /> }
            : null,
          task.recovery
            ? { label: t('tasks:deliveries'), value: t(`tasks:include.${task.recovery.include}`) }
            : null,
          { label: t('tasks:rate'), value: t('tasks:perSecond', { count: task.ratePerSecond }) },
        ]}
      />
      {task.action !== 'CANCEL' && <Failures task={task} />}
    </Page>
  )
}

function Failures({ task }: { task: TaskFieldsFragment }) {
  const cursors = useCursors()
  const withWebhook = useSession().can('webhooks:read')
  // The count belongs to the key, so that the list is read again when more have failed.
  const context = useMemo(
    () => ({ additionalTypenames: ['BulkTask'], failures: task.exhausted }),
    [task.exhausted],
  )
  const { data, error, stale, reload } = useRead(
    TaskFailuresDocument,
    { id: task.id, ...cursors.variables, withWebhook },
    { context, requestPolicy: 'cache-and-network' },
  )
  const connection = data?.bulkTask?.exhaustedDeliveries
  return (
    <Stack component="section" gap="xs" aria-label={t('tasks:failures')}>
      <Title order={2} size="h5">
        {t('tasks:failures')}
      </Title>
      <Text size="sm" c="dimmed">
        {t('tasks:failuresHint')}
      </Text>
      <List
        label={t('tasks:failures')}
        columns={COLUMNS}
        rows={connection?.nodes}
        keyOf={(delivery) => delivery.id}
        to={(delivery) => `/deliveries/${delivery.id}`}
        error={error}
        stale={stale}
        retry={reload}
        pages={{ info: connection?.pageInfo, cursors }}
        empty={
          <Text size="sm" c="dimmed" p="md">
            {t('tasks:noFailures')}
          </Text>
        }
      />
    </Stack>
  )
}
