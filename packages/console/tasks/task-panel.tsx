import { Anchor, CloseButton, Group, Stack, Text } from '@mantine/core'
import { Link } from 'react-router'
import { describeError } from '../api/request-error.ts'
import { StopTask, TaskResult, TaskStateBadge, taskHeading } from './task-result.tsx'
import { useTask } from './use-task.ts'
import './tasks.css'

/** Follows a bulk action above the list that it was started from. */
export function TaskPanel({ id, onClose }: { id: string; onClose(): void }) {
  const { task, error } = useTask(id)
  if (!task && !error && task !== null) return null
  return (
    <Stack component="section" gap="xs" className="ph-task" aria-label="Result of the bulk action">
      <Group justify="space-between" wrap="nowrap">
        <Group gap="sm">
          <Text fw={600} size="sm">
            {task ? taskHeading(task) : 'This bulk action does not exist'}
          </Text>
          {task && <TaskStateBadge task={task} />}
        </Group>
        <Group gap="xs" wrap="nowrap" flex="none">
          {task && <StopTask task={task} />}
          {task && (
            <Anchor component={Link} to={`/tasks/${id}`} size="sm">
              Open the result
            </Anchor>
          )}
          <CloseButton size="sm" aria-label="Close the result" onClick={onClose} />
        </Group>
      </Group>
      {task && <TaskResult task={task} />}
      {error && !task && (
        <Text size="sm" role="alert" c="var(--posthorn-on-red)">
          {`The result could not be loaded: ${describeError(error).message}`}
        </Text>
      )}
    </Stack>
  )
}
