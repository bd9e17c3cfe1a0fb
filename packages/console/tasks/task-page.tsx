import { useParams } from 'react-router'
import { EmptyState } from '../components/page/empty-state.tsx'
import { Facts } from '../components/page/facts.tsx'
import { Page } from '../components/page/page.tsx'
import { DetailSkeleton } from '../components/page/skeletons.tsx'
import { QueryError } from '../components/query-error.tsx'
import { Time } from '../components/time.tsx'
import { t } from '../language/t.ts'
import { formatCount } from '../lib/format.ts'
import { mount } from '../mount.ts'
import {
  RecoveredTimes,
  StopTask,
  TaskResult,
  TaskStateBadge,
  taskHeading,
} from './task-result.tsx'
import { useTask } from './use-task.ts'

/** The portal has no list of tasks. */
const PARENTS = [
  mount.kind === 'portal'
    ? ([t('Deliveries'), '/deliveries'] as const)
    : (['Tasks', '/tasks'] as const),
]

/** One bulk action, and how far it is. */
export default function TaskPage() {
  const { id = '' } = useParams()
  const { task, error, reload } = useTask(id)
  if (error && !task) {
    return (
      <Page title="Task" breadcrumbs={PARENTS}>
        <QueryError error={error} reload={reload} />
      </Page>
    )
  }
  if (!task) {
    return (
      <Page title="Task" breadcrumbs={PARENTS}>
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
          task.ratePerSecond
            ? { label: 'Rate', value: `${formatCount(task.ratePerSecond)} per second` }
            : null,
        ]}
      />
    </Page>
  )
}
