import { t } from '../language/t.ts'
import './tasks.css'
import { Anchor, Button, Group, Progress, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { Link } from 'react-router'
import { useAction } from '../api/use-action.ts'
import { Confirm } from '../components/confirm.tsx'
import { StateBadge } from '../components/state-badge.tsx'
import { Time } from '../components/time.tsx'
import {
  type BulkTaskState,
  type TaskFieldsFragment,
  TaskStopDocument,
} from '../generated/graphql.ts'
import { formatCount, plural } from '../lib/format.ts'
import { useSession } from '../session/session.tsx'
import { partsOf } from './task-parts.ts'

const COLORS: Record<BulkTaskState, string> = {
  RUNNING: 'blue',
  COMPLETED: 'green',
  CANCELED: 'gray',
  FAILED: 'red',
}

interface TaskProps {
  readonly task: TaskFieldsFragment
}

export function TaskStateBadge({ task: { state } }: TaskProps) {
  return <StateBadge label={LABELS[state]} color={COLORS[state]} />
}

const LABELS = {
  RUNNING: 'Running',
  COMPLETED: 'Completed',
  CANCELED: 'Stopped',
  FAILED: t('Failed'),
}

/** "Redelivery of 4,312 deliveries" */
export function taskHeading({ action, total, totalIsExact }: TaskFieldsFragment): string {
  const shown = `${formatCount(total)}${totalIsExact ? '' : '+'}`
  const noun =
    action === 'ERASE' ? plural(total, 'event', 'events') : plural(total, 'delivery', 'deliveries')
  return `${HEADINGS[action]} of ${shown} ${noun}`
}

const HEADINGS = {
  REDELIVER: 'Redelivery',
  CANCEL: 'Cancellation',
  RECOVER: 'Recovery',
  ERASE: 'Erasure',
  DELETE_WEBHOOK: 'Deletion of a webhook, and cancellation',
  DELETE_ORGANIZATION: 'Deletion',
}

/** When the events of a recovery were published. */
export function RecoveredTimes({ task: { recovery } }: TaskProps) {
  if (!recovery) return null
  return (
    <Text size="sm">
      <Time at={recovery.since} /> to <Time at={recovery.until} />
    </Text>
  )
}

/** How far a bulk action is: in a bar, in words, and why it ended early. */
export function TaskResult({ task }: TaskProps) {
  const { action, webhookId, changed, createdAt } = task
  const parts = partsOf(task)
  const nameOf = (name: (typeof parts)[number]['name']) =>
    name === 'changed' ? CHANGED[action] : OTHERS[name]
  const whole = parts.reduce((sum, { count }) => sum + count, 0)
  return (
    <Stack gap={6}>
      <Progress.Root size="sm" aria-label="Progress of the bulk action">
        {parts.map(({ name, count, color }) => (
          <Progress.Section
            key={name}
            value={(100 * count) / whole}
            color={color}
            aria-label={`${formatCount(count)} ${nameOf(name)}`}
          />
        ))}
      </Progress.Root>
      <Group gap="md" role="status">
        {parts.map(({ name, count, color }) => (
          <Group key={name} gap={6} wrap="nowrap">
            <span className="ph-dot" style={{ background: color }} />
            <Text size="sm">{`${formatCount(count)} ${nameOf(name)}`}</Text>
          </Group>
        ))}
        {action !== 'CANCEL' && webhookId && changed > 0 && (
          <Anchor
            component={Link}
            to={`/attempts?${new URLSearchParams({ webhook: webhookId, since: createdAt })}`}
            size="sm"
            underline="always"
          >
            Show the attempts since then
          </Anchor>
        )}
      </Group>
      {task.state === 'CANCELED' && (
        <Text size="sm">
          Stopped. Deliveries queued before are sent; the other deliveries are unchanged.
        </Text>
      )}
      {task.failure && (
        <Text size="sm" role="alert" c="var(--posthorn-on-red)">
          {task.failure}
        </Text>
      )}
    </Stack>
  )
}

const CHANGED = {
  REDELIVER: 'queued',
  CANCEL: 'canceled',
  RECOVER: 'queued',
  ERASE: 'erased',
  DELETE_WEBHOOK: 'canceled',
  DELETE_ORGANIZATION: 'deleted',
}

const OTHERS = {
  left: 'remaining',
  skipped: 'skipped: finished, queued or waiting',
}

/** Stops a running bulk action. Nothing for others, and without the scope. */
export function StopTask({ task }: TaskProps) {
  const { can } = useSession()
  const { run } = useAction(TaskStopDocument)
  const [confirming, setConfirming] = useState(false)
  if (!can('deliveries:write')) return null
  return (
    <>
      {task.state === 'RUNNING' && ['REDELIVER', 'CANCEL', 'RECOVER'].includes(task.action) && (
        <Button size="xs" variant="default" onClick={() => setConfirming(true)}>
          Stop
        </Button>
      )}
      <Confirm
        opened={confirming}
        onClose={() => setConfirming(false)}
        title="Stop this bulk action?"
        action="Stop"
        destructive
        onConfirm={() => run({ id: task.id })}
      >
        Deliveries that are already queued or canceled stay so. The other deliveries do not change.
      </Confirm>
    </>
  )
}
