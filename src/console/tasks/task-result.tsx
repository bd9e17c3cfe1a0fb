import { Button, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { useAction } from '../api/use-action.ts'
import { Confirm } from '../components/confirm.tsx'
import { StateBadge } from '../components/state-badge.tsx'
import {
  type DeliveryTaskState,
  type TaskFieldsFragment,
  TaskStopDocument,
} from '../generated/graphql.ts'
import { formatCount, plural } from '../lib/format.ts'
import { useSession } from '../session/session.tsx'
import { Outcome } from './outcome.tsx'
import { partsOf } from './task-parts.ts'

const COLORS: Record<DeliveryTaskState, string> = {
  RUNNING: 'blue',
  DELIVERING: 'blue',
  COMPLETED: 'green',
  CANCELED: 'gray',
  FAILED: 'red',
}

type Ended = Pick<TaskFieldsFragment, 'state' | 'exhausted'>

/** A task that completed has not succeeded for that. */
export function TaskStateBadge({ task: { state, exhausted } }: { task: Ended }) {
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
}

/** What came of a bulk action so far: in a bar, in words, and why it ended early. */
export function TaskResult({ task }: { task: TaskFieldsFragment }) {
  return (
    <Stack gap={6}>
      <Outcome parts={partsOf(task)} label="Progress of the bulk action">
        {task.action === 'REDELIVER' && (
          <Text size="sm" fw={600}>
            {`${formatCount(task.changed)} queued`}
          </Text>
        )}
      </Outcome>
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

/** Stops a running bulk action. Nothing for others, and without the scope. */
export function StopTask({ task }: { task: TaskFieldsFragment }) {
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
