import { Group, Progress, Text } from '@mantine/core'
import { StateBadge } from '../components/state-badge.tsx'
import { Time } from '../components/time.tsx'
import type { TaskFieldsFragment } from '../generated/graphql.ts'
import { t } from '../language/t.ts'
import { formatCount, plural } from '../lib/format.ts'

interface TaskProps {
  readonly task: TaskFieldsFragment
}

const STATES = {
  RUNNING: ['Running', 'blue'],
  COMPLETED: ['Completed', 'green'],
  CANCELED: ['Stopped', 'gray'],
  FAILED: [t('Failed'), 'red'],
} as const

export function TaskStateBadge({ task: { state } }: TaskProps) {
  const [label, color] = STATES[state]
  return <StateBadge label={label} color={color} />
}

/** What each action is called, and what it did to a delivery. */
const ACTIONS = {
  REDELIVER: ['Redelivery', 'queued'],
  CANCEL: ['Cancellation', 'canceled'],
  RECOVER: ['Recovery', 'queued'],
  ERASE: ['Erasure', 'erased'],
  DELETE_WEBHOOK: ['Deletion of a webhook, and cancellation', 'canceled'],
  DELETE_ORGANIZATION: ['Deletion', 'deleted'],
} as const

/** "Redelivery of 4,312 deliveries" */
export function taskHeading({ action, total, totalIsExact }: TaskFieldsFragment): string {
  const noun =
    action === 'ERASE' ? plural(total, 'event', 'events') : plural(total, 'delivery', 'deliveries')
  return `${ACTIONS[action][0]} of ${formatCount(total)}${totalIsExact ? '' : '+'} ${noun}`
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

/** How far a job is. */
export function TaskProgress({ task }: TaskProps) {
  const { action, state, progress, changed, total } = task
  const skipped = state === 'COMPLETED' ? total - changed : 0
  return (
    <Group gap="xs">
      <Progress
        value={100 * progress}
        size="sm"
        w={96}
        color="var(--posthorn-mark-green)"
        aria-label="Progress"
      />
      <Text size="xs" c="dimmed">
        {`${formatCount(changed)} of ${formatCount(total)} ${ACTIONS[action][1]}`}
        {skipped > 0 && `, ${formatCount(skipped)} skipped`}
      </Text>
    </Group>
  )
}
