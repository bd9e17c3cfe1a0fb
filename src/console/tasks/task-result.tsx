import { Anchor, Button, Group, Progress, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { Link } from 'react-router'
import { useAction } from '../api/use-action.ts'
import { Confirm } from '../components/confirm.tsx'
import { StateBadge } from '../components/state-badge.tsx'
import { Time } from '../components/time.tsx'
import { formatCount } from '../format.ts'
import {
  type BulkTaskState,
  type TaskFieldsFragment,
  TaskStopDocument,
} from '../generated/graphql.ts'
import { useSession } from '../session/session.tsx'
import { t } from '../strings/t.ts'
import { partsOf } from './task-parts.ts'
import './tasks.css'

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
    return <StateBadge label={t('tasks:state.withFailures')} color="orange" />
  }
  return <StateBadge label={t(`tasks:state.${state}`)} color={COLORS[state]} />
}

/** "Redelivery of 4,312 deliveries" */
export function taskHeading({ action, total, totalIsExact }: TaskFieldsFragment): string {
  const words = totalIsExact ? formatCount(total) : t('bulk:atLeast', { count: total })
  return t(`tasks:heading.${action}`, { count: total, total: words })
}

/** When the events of a recovery were published. */
export function RecoveredTimes({ task: { recovery } }: TaskProps) {
  if (!recovery) return null
  return (
    <Text size="sm">
      <Time at={recovery.since} /> {t('tasks:to')} <Time at={recovery.until} />
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
      <Progress.Root size="sm" aria-label={t('tasks:progress')}>
        {parts.map(({ name, count, color }) => (
          <Progress.Section
            key={name}
            value={(100 * count) / whole}
            color={color}
            aria-label={t(`tasks:${name}`, { count })}
          />
        ))}
      </Progress.Root>
      <Group gap="md" role="status">
        {action !== 'CANCEL' && (
          <Text size="sm" fw={600}>
            {created > 0
              ? t('tasks:queuedNew', { count: changed, created })
              : t('tasks:queued', { count: changed })}
          </Text>
        )}
        {parts.map(({ name, count, color }) => (
          <Group key={name} gap={6} wrap="nowrap">
            <span className="ph-dot" style={{ background: color }} />
            <Text size="sm">{t(`tasks:${name}`, { count })}</Text>
          </Group>
        ))}
        {action !== 'CANCEL' && webhookId && changed > 0 && (
          <Anchor
            component={Link}
            to={`/attempts?${new URLSearchParams({ webhook: webhookId, since: createdAt })}`}
            size="sm"
            underline="always"
          >
            {t('tasks:showAttempts')}
          </Anchor>
        )}
      </Group>
      {task.state === 'CANCELED' && <Text size="sm">{t('tasks:stopped')}</Text>}
      {task.failure && (
        <Text size="sm" role="alert" c="var(--posthorn-on-red)">
          {task.failure}
        </Text>
      )}
    </Stack>
  )
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
          {t('tasks:stop')}
        </Button>
      )}
      <Confirm
        opened={confirming}
        onClose={() => setConfirming(false)}
        title={t('tasks:stopTitle')}
        action={t('tasks:stop')}
        destructive
        onConfirm={async () => {
          const outcome = await run({ id: task.id })
          return outcome.ok ? null : outcome.message
        }}
      >
        {t('tasks:stopBody')}
      </Confirm>
    </>
  )
}
