import { useMemo } from 'react'
import { useParams } from 'react-router'
import { useRead } from '../api/use-read.ts'
import { useCursors } from '../components/lists/use-cursors.ts'
import { EmptyState } from '../components/page/empty-state.tsx'
import { Facts } from '../components/page/facts.tsx'
import { Page } from '../components/page/page.tsx'
import { DetailSkeleton } from '../components/page/skeletons.tsx'
import { QueryError } from '../components/query-error.tsx'
import { Time } from '../components/time.tsx'
import { deliveryColumns } from '../deliveries/list/delivery-columns.tsx'
import { FailedAgain } from '../deliveries/list/failed-again.tsx'
import { TaskFailuresDocument, type TaskFieldsFragment } from '../generated/graphql.ts'
import { formatCount } from '../lib/format.ts'
import { useSession } from '../session/session.tsx'
import { StopTask, TaskResult, TaskStateBadge, taskHeading } from './task-result.tsx'
import { useTask } from './use-task.ts'
import './tasks.css'

const COLUMNS = deliveryColumns(null)
const PARENTS = [['Deliveries', '/deliveries']] as const

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
          task.finishedAt ? { label: 'Finished', value: <Time at={task.finishedAt} /> } : null,
          { label: 'Rate', value: `${formatCount(task.ratePerSecond)} per second` },
        ]}
      />
      {task.action === 'REDELIVER' && <Failures task={task} />}
    </Page>
  )
}

function Failures({ task }: { task: TaskFieldsFragment }) {
  const cursors = useCursors()
  const withWebhook = useSession().can('webhooks:read')
  // The count belongs to the key, so that the list is read again when more have failed.
  const context = useMemo(
    () => ({ additionalTypenames: ['DeliveryTask'], failures: task.exhausted }),
    [task.exhausted],
  )
  const { data, error, stale, reload } = useRead(
    TaskFailuresDocument,
    { id: task.id, ...cursors.variables, withWebhook },
    { context, requestPolicy: 'cache-and-network' },
  )
  return (
    <FailedAgain
      order={2}
      hint="Deliveries that this bulk action queued and that have run out of retries since."
      empty="No delivery has failed."
      columns={COLUMNS}
      connection={data?.deliveryTask?.exhaustedDeliveries}
      cursors={cursors}
      read={{ error, stale, reload }}
    />
  )
}
