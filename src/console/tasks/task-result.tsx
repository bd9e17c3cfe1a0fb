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
  DELIVERING: 'blue',
  COMPLETED: 'green',
  CANCELED: 'gray',
  FAILED: 'red',
}

interface TaskProps {
  readonly task: TaskFieldsFragment
}

/** A task that completed has not succeeded for that. */
export function TaskStateBadge({ task: { state, exhausted } }: TaskProps) {
  if (state === 'COMPLETED' && exhausted > 0) {
    return <StateBadge label="Completed with failures" color="orange" />
  }
  return <StateBadge label={LABELS[state]} color={COLORS[state]} />
}

const LABELS = {
  RUNNING: 'Queuing',
  DELIVERING: 'Delivering',
  COMPLETED: 'Completed',
  CANCELED: 'Stopped',
  FAILED: 'Failed',
}

/** "Redelivery of 4,312 deliveries" */
export function taskHeading({ action, total, totalIsExact }: TaskFieldsFragment): string {
  const words = totalIsExact ? formatCount(total) : `${formatCount(total)}+`
  return HEADINGS[action](total, words)
}

const HEADINGS = {
  REDELIVER: (count: number, total: string) =>
    `Redelivery of ${total} ${plural(count, 'delivery', 'deliveries')}`,
  CANCEL: (count: number, total: string) =>
    `Cancellation of ${total} ${plural(count, 'delivery', 'deliveries')}`,
  RECOVER: (count: number, total: string) =>
    `Recovery of ${total} ${plural(count, 'delivery', 'deliveries')}`,
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

/** What came of a bulk action so far: in a bar, in words, and why it ended early. */
export function TaskResult({ task }: TaskProps) {
  const { action, webhookId, changed, created, createdAt } = task
  const parts = partsOf(task)
  const whole = parts.reduce((sum, { count }) => sum + count, 0)
  return (
    <Stack gap={6}>
      <Progress.Root size="sm" aria-label="Progress of the bulk action">
        {parts.map(({ name, count, color }) => (
          <Progress.Section
            key={name}
            value={(100 * count) / whole}
            color={color}
            aria-label={PARTS[name](count)}
          />
        ))}
      </Progress.Root>
      <Group gap="md" role="status">
        {action !== 'CANCEL' && (
          <Text size="sm" fw={600}>
            {created > 0
              ? `${formatCount(changed)} queued, ${formatCount(created)} of them new`
              : `${formatCount(changed)} queued`}
          </Text>
        )}
        {parts.map(({ name, count, color }) => (
          <Group key={name} gap={6} wrap="nowrap">
            <span className="ph-dot" style={{ background: color }} />
            <Text size="sm">{PARTS[name](count)}</Text>
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

const PARTS = {
  queued: (count: number) => `${formatCount(count)} queued`,
  delivered: (count: number) => `${formatCount(count)} delivered`,
  failed: (count: number) => `${formatCount(count)} failed`,
  waiting: (count: number) => `${formatCount(count)} in progress`,
  canceled: (count: number) => `${formatCount(count)} canceled`,
  left: (count: number) => `${formatCount(count)} remaining`,
  skipped: (count: number) => `${formatCount(count)} skipped: finished, queued or waiting`,
}

/** Stops a running bulk action. Nothing for others, and without the scope. */
export function StopTask({ task }: TaskProps) {
  const { can } = useSession()
  const { run } = useAction(TaskStopDocument)
  const [confirming, setConfirming] = useState(false)
  if (!can('deliveries:write')) return null
  return (
    <>
      {task.state === 'RUNNING' && (
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
        onConfirm={async () => {
          const outcome = await run({ id: task.id })
          return outcome.ok ? null : outcome.message
        }}
      >
        Deliveries that are already queued or canceled stay so. The other deliveries do not change.
      </Confirm>
    </>
  )
}
