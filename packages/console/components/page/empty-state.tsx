import { Button, Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { key, t } from '../../language/t.ts'

interface EmptyStateProps {
  readonly title: string
  /** What to do next. */
  readonly children?: ReactNode
  readonly action?: ReactNode
}

/** Replaces an empty list, and says how to fill it. */
export function EmptyState({ title, children, action }: EmptyStateProps) {
  return (
    <Stack align="center" gap={6} py={48} px="md" ta="center">
      <Title order={2} size="h5">
        {title}
      </Title>
      {children && (
        <Text c="dimmed" size="sm" maw={460} component="div">
          {children}
        </Text>
      )}
      {action && <div style={{ marginTop: 8 }}>{action}</div>}
    </Stack>
  )
}

interface NoMatchesProps {
  /** What the list contains: "delivery", "event". */
  readonly noun: string
  clear(): void
}

/** Replaces a list in which no row matches the filters. */
export function NoMatches({ noun, clear }: NoMatchesProps) {
  return (
    <EmptyState
      title={t(NO_MATCH[noun] ?? `No ${noun} matches these filters`)}
      action={
        <Button variant="default" size="xs" onClick={clear}>
          {t('Clear filters')}
        </Button>
      }
    >
      {t('Remove a filter to see more.')}
    </EmptyState>
  )
}

/** Of the nouns that the portal has. */
const NO_MATCH: Readonly<Record<string, string>> = {
  endpoint: key('No endpoint matches these filters'),
  delivery: key('No delivery matches these filters'),
  event: 'No event matches these filters',
  'event type': key('No event type matches these filters'),
}
