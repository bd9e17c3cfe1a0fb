import { Button } from '@mantine/core'
import { t } from '../../strings/t.ts'
import { EmptyState } from '../page/empty-state.tsx'

interface NoMatchesProps {
  /** What the list contains: "delivery", "event". */
  readonly noun: string
  clear(): void
}

/** Replaces a list in which no row matches the filters. */
export function NoMatches({ noun, clear }: NoMatchesProps) {
  return (
    <EmptyState
      title={`No ${noun} matches these filters`}
      action={
        <Button variant="default" size="xs" onClick={clear}>
          {t('common:noMatches.clear')}
        </Button>
      }
    >
      {t('common:noMatches.hint')}
    </EmptyState>
  )
}
