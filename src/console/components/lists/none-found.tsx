import { Button } from '@mantine/core'
import { Empty } from '../page/empty.tsx'

interface NoneFoundProps {
  /** "delivery", "event". */
  readonly what: string
  clear(): void
}

/** Instead of a list of which the filters leave nothing. */
export function NoneFound({ what, clear }: NoneFoundProps) {
  return (
    <Empty
      title={`No ${what} meets all of these filters`}
      action={
        <Button variant="default" size="xs" onClick={clear}>
          Clear the filters
        </Button>
      }
    >
      Ask for fewer things at once.
    </Empty>
  )
}
