import { Button } from '@mantine/core'
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
          Clear filters
        </Button>
      }
    >
      Remove a filter to see more.
    </EmptyState>
  )
}
