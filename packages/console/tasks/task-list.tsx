import { Text } from '@mantine/core'
import { usePolling } from '../api/use-polling.ts'
import { useRead } from '../api/use-read.ts'
import { type Column, List } from '../components/lists/list.tsx'
import { useCursors } from '../components/lists/use-cursors.ts'
import { Time } from '../components/time.tsx'
import { type TaskFieldsFragment, TasksDocument } from '../generated/graphql.ts'
import { t } from '../language/t.ts'
import { useSession } from '../session/session.tsx'
import { WebhookOf } from '../webhooks/webhook-label.tsx'
import { RecoveredTimes, TaskProgress, TaskStateBadge, taskHeading } from './task-parts.tsx'

const REFRESH_EVERY_MS = 3_000

const WEBHOOK: Column<TaskFieldsFragment> = {
  label: 'Webhook',
  grow: true,
  width: '30%',
  priority: 2,
  cell: ({ webhook, webhookId }) => webhookId && <WebhookOf row={{ webhook, webhookId }} />,
}

const COLUMNS: readonly Column<TaskFieldsFragment>[] = [
  {
    label: 'Job',
    cell: (task) => (
      <>
        {taskHeading(task)}
        <RecoveredTimes task={task} />
      </>
    ),
  },
  WEBHOOK,
  { label: t('State'), width: 130, cell: (task) => <TaskStateBadge task={task} /> },
  { label: 'Progress', width: 180, cell: (task) => <TaskProgress task={task} /> },
  { label: 'Started', width: 170, cell: ({ createdAt }) => <Time at={createdAt} />, priority: 3 },
]

interface TaskListProps {
  readonly label: string
  /** Null for the jobs of all webhooks. */
  readonly webhookId: string | null
}

/** Jobs, the newest first, with the progress of those that run. */
export function TaskList({ label, webhookId }: TaskListProps) {
  const cursors = useCursors(10)
  const withWebhook = useSession().can('webhooks:read')
  const { data, ...read } = useRead(TasksDocument, { webhookId, ...cursors.variables, withWebhook })
  const tasks = data?.bulkTasks
  const runs = tasks?.nodes.some(({ state }) => state === 'RUNNING')
  usePolling(runs ? REFRESH_EVERY_MS : null, read.reload)
  return (
    <List
      label={label}
      columns={webhookId === null ? COLUMNS : COLUMNS.filter((column) => column !== WEBHOOK)}
      rows={tasks?.nodes}
      keyOf={({ id }) => id}
      to={({ id }) => `/tasks/${id}`}
      {...read}
      // Each reload would dim the rows.
      stale={false}
      empty={
        <Text size="sm" c="dimmed">
          None yet. Redeliver, cancel or recover deliveries: the work and its progress appear here.
        </Text>
      }
      pages={{ info: tasks?.pageInfo, cursors }}
    />
  )
}
