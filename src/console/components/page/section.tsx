import { Group, Paper, Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'

interface SectionProps {
  readonly title: string
  readonly description?: ReactNode
  readonly actions?: ReactNode
  /** Removes the padding, for lists that reach to the edge. */
  readonly flush?: boolean
  readonly children: ReactNode
}

/** A titled part of a page, on a card. */
export function Section({ title, description, actions, flush = false, children }: SectionProps) {
  return (
    <Paper withBorder component="section" aria-label={title} style={{ overflow: 'hidden' }}>
      <Stack gap={flush ? 0 : 'md'} p={flush ? 0 : 'lg'}>
        <Group justify="space-between" p={flush ? 'lg' : 0} pb={flush ? 'xs' : 0} gap="sm">
          <Stack gap={2}>
            <Title order={2} size="h5">
              {title}
            </Title>
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
    </Paper>
  )
}
