import { Group, Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'

interface SectionProps {
  readonly title: string
  readonly description?: ReactNode
  readonly actions?: ReactNode
  readonly children: ReactNode
}

/** A titled part of a page. Space separates it from the others, not a box. */
export function Section({ title, description, actions, children }: SectionProps) {
  return (
    <Stack component="section" aria-label={title} gap="sm" mt="xs">
      <Group justify="space-between" gap="sm" mih={30}>
        <Stack gap={2} miw={0}>
          <Title order={2}>{title}</Title>
          {description && (
            <Text size="sm" c="dimmed" component="div" maw={640}>
              {description}
            </Text>
          )}
        </Stack>
        {actions}
      </Group>
      {children}
    </Stack>
  )
}
