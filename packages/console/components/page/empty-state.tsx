import { Button, Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { t } from '../../language/t.ts'

interface EmptyStateProps {
  readonly title: string
  /** What to do next. */
  readonly children?: ReactNode
  readonly action?: ReactNode
}

/** Replaces an empty list, and says how to fill it. */
export function EmptyState({ title, children, action }: EmptyStateProps) {
  return (
    <Stack align="center" gap="xs" py={48} px="md" ta="center">
      <Title order={2} size="h5">
        {title}
      </Title>
      {children && (
        <Text c="dimmed" size="sm" maw={460} component="div">
          {children}
        </Text>
      )}
      {action}
    </Stack>
  )
}

/** Replaces a list in which no row matches the filters. */
export function NoMatches({ clear }: { clear(): void }) {
  return (
    <EmptyState
      title={t('Nothing matches these filters')}
      action={
        <Button variant="default" size="xs" onClick={clear}>
          {t('Clear filters')}
        </Button>
      }
    />
  )
}
