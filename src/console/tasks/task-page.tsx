import { Stack, Text, Title } from '@mantine/core'
import { useMemo } from 'react'
import { useParams } from 'react-router'
import { useRead } from '../api/use-read.ts'
import { List } from '../components/lists/list.tsx'
import { useCursors } from '../components/lists/use-cursors.ts'
import { EmptyState } from '../components/page/empty-state.tsx'
import { Facts } from '../components/page/facts.tsx'
import { Page } from '../components/page/page.tsx'
import { DetailSkeleton } from '../components/page/skeletons.tsx'
import { QueryError } from '../components/query-error.tsx'
import { Time } from '../components/time.tsx'
import { deliveryColumns } from '../deliveries/list/delivery-columns.tsx'
import { TaskFailuresDocument, type TaskFieldsFragment } from '../generated/graphql.ts'
import { t } from '../language/t.ts'
import { formatCount } from '../lib/format.ts'
import { useSession } from '../session/session.tsx'
import {
  RecoveredTimes,
  StopTask,
  TaskResult,
  TaskStateBadge,
  taskHeading,
} from './task-result.tsx'
import { useTask } from './use-task.ts'

const COLUMNS = deliveryColumns(null)
const PARENTS = [[t('Deliveries'), '/deliveries']] as const

/** One bulk action: what came of it, and which deliveries failed again. */
export default function TaskPage() {
  const { id = '' } = useParams()
  const { task, error, reload } = useTask(id)
  if (error && !task) {
    return (
      <Page title="Bulk actions" breadcrumbs={PARENTS}>
        <QueryError error={error} reload={reload} />
      </Page>
    )
  }
  if (!task) {
    return (
      <Page title="Bulk actions" breadcrumbs={PARENTS}>
        {task === null ? (
          <EmptyState title="This bulk action does not exist">
            Results are kept as long as the deliveries. Check the id, or look at the list of
            deliveries.
          </EmptyState>
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
          { label: 'Started', value: <Time at={task.createdAt} /> },
          task.finishedAt ? { label: t('Finished'), value: <Time at={task.finishedAt} /> } : null,
          task.recovery
            ? { label: 'Events published', value: <RecoveredTimes task={task} /> }
            : null,
          {
            label: 'Rate',
            value: `${formatCount(task.ratePerSecond)} per second`,
          },
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
  const { data, ...read } = useRead(
    TaskFailuresDocument,
    { id: task.id, ...cursors.variables, withWebhook },
    { context, requestPolicy: 'cache-and-network' },
  )
  const connection = data?.bulkTask?.exhaustedDeliveries
  return (
    <Stack component="section" gap="xs" aria-label="Failed again">
      <Title order={2} size="h5">
        Failed again
      </Title>
      <Text size="sm" c="dimmed">
        Deliveries that this bulk action queued and that have run out of retries since.
      </Text>
      <List
        label="Failed again"
        columns={COLUMNS}
        rows={connection?.nodes}
        keyOf={(delivery) => delivery.id}
        to={(delivery) => `/deliveries/${delivery.id}`}
        {...read}
        pages={{ info: connection?.pageInfo, cursors }}
        empty={
          <Text size="sm" c="dimmed" p="md">
            No delivery has failed.
          </Text>
        }
      />
    </Stack>
  )
}
