import { ActionIcon, Group, Text } from '@mantine/core'
import { IconTrash } from '@tabler/icons-react'
import { ConditionFields } from './condition-fields.tsx'
import { issueAt } from './condition-issues.ts'
import type { ConditionProps } from './condition-props.ts'

/** One condition. What is missing is an error once the form was sent: an error on leaving would move the next click. */
export function ConditionRow(props: ConditionProps) {
  const { number, issues, place, remove } = props
  // An issue of the whole filter stands below the rows.
  const problem = place === '' ? null : issueAt(issues, place, null)

  return (
    <Group
      role="group"
      aria-label={`Condition ${number}`}
      className="ph-condition"
      gap="xs"
      align="start"
      wrap="nowrap"
    >
      <Group gap="xs" align="start" flex={1} miw={0}>
        <ConditionFields {...props} />
        {problem && (
          <Text size="xs" c="var(--mantine-color-error)" role="alert" w="100%">
            {problem}
          </Text>
        )}
      </Group>
      <ActionIcon
        size={36}
        variant="subtle"
        color="gray"
        aria-label={`Remove condition ${number}`}
        onClick={remove}
      >
        <IconTrash size={16} />
      </ActionIcon>
    </Group>
  )
}
