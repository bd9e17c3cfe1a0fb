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
      title={`No ${noun} meets all of these filters`}
      action={
        <Button variant="default" size="xs" onClick={clear}>
          Clear the filters
        </Button>
      }
    >
      Ask for fewer things at once.
    </EmptyState>
  )
}
