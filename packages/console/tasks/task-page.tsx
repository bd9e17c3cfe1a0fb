import { Anchor, Button, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { Link, useParams } from 'react-router'
import { useAction } from '../api/use-action.ts'
import { usePolling } from '../api/use-polling.ts'
import { useRead } from '../api/use-read.ts'
import { Confirm } from '../components/confirm.tsx'
import { Facts } from '../components/page/facts.tsx'
import { Notice } from '../components/page/notice.tsx'
import { Page } from '../components/page/page.tsx'
import { DetailSkeleton } from '../components/page/skeletons.tsx'
import { QueryError } from '../components/query-error.tsx'
import { Time } from '../components/time.tsx'
import { TaskDocument, type TaskFieldsFragment, TaskStopDocument } from '../generated/graphql.ts'
import { t } from '../language/t.ts'
import { mount } from '../mount.ts'
import { useSession } from '../session/session.tsx'
import NotFoundPage from '../shell/not-found-page.tsx'
import { WebhookOf } from '../webhooks/webhook-label.tsx'
import { RecoveredTimes, TaskProgress, TaskStateBadge, taskHeading } from './task-parts.tsx'

const REFRESH_EVERY_MS = 1_000

/** The portal has no list of jobs. */
const PARENTS = [
  mount.kind === 'portal'
    ? ([t('Deliveries'), '/deliveries'] as const)
    : (['Jobs', '/tasks'] as const),
]

/** One job, followed until it ends. */
export default function TaskPage() {
  const { id = '' } = useParams()
  const withWebhook = useSession().can('webhooks:read')
  const { data, error, reload } = useRead(TaskDocument, { id, withWebhook })
  const task = data?.bulkTask
  usePolling(task?.state === 'RUNNING' ? REFRESH_EVERY_MS : null, reload)
  if (task === null && !error) return <NotFoundPage noun="job" />
  if (!task) {
    return (
      <Page title="Job" breadcrumbs={PARENTS}>
        {error ? <QueryError error={error} reload={reload} /> : <DetailSkeleton />}
      </Page>
    )
  }
  const { action, webhook, webhookId, createdAt, finishedAt, recovery, failure } = task
  return (
    <Page
      title={taskHeading(task)}
      breadcrumbs={PARENTS}
      aside={<TaskStateBadge task={task} />}
      actions={<StopTask task={task} />}
    >
      {failure && <Notice color="red" title={failure} />}
      {task.state === 'CANCELED' && (
        <Text size="sm">
          Stopped. Deliveries queued before are sent; the other deliveries are unchanged.
        </Text>
      )}
      <Facts
        facts={[
          {
            label: 'Progress',
            value: (
              <div role="status">
                <TaskProgress task={task} />
              </div>
            ),
          },
          webhookId != null && {
            label: t('Webhook'),
            value: (
              <Anchor component={Link} to={`/webhooks/${webhookId}`} inherit>
                <WebhookOf row={{ webhook, webhookId }} />
              </Anchor>
            ),
          },
          { label: 'Started', value: <Time at={createdAt} /> },
          finishedAt != null && { label: t('Finished'), value: <Time at={finishedAt} /> },
          recovery != null && { label: 'Events published', value: <RecoveredTimes task={task} /> },
        ]}
      />
      {action !== 'CANCEL' && webhookId && task.changed > 0 && (
        <Anchor
          component={Link}
          to={`/deliveries?${new URLSearchParams({ webhook: webhookId, since: createdAt })}`}
          size="sm"
        >
          Show the deliveries that were sent since then
        </Anchor>
      )}
    </Page>
  )
}

/** Stops a running bulk action. Nothing for others, and without the scope. */
function StopTask({ task: { id, state, action } }: { task: TaskFieldsFragment }) {
  const { can } = useSession()
  const { run } = useAction(TaskStopDocument)
  const [confirming, confirm] = useDisclosure()
  if (!can('deliveries:write') || !['REDELIVER', 'CANCEL', 'RECOVER'].includes(action)) return null
  return (
    <>
      {state === 'RUNNING' && (
        <Button size="xs" variant="default" onClick={confirm.open}>
          Stop
        </Button>
      )}
      <Confirm
        opened={confirming}
        onClose={confirm.close}
        title="Stop this job?"
        action="Stop"
        destructive
        onConfirm={() => run({ id })}
      >
        Deliveries that are already queued or canceled stay so. The other deliveries do not change.
      </Confirm>
    </>
  )
}
