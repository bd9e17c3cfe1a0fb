import { Button } from '@mantine/core'
import { IconArrowUp } from '@tabler/icons-react'
import { formatCount } from '../../format.ts'

interface NewRowsProps {
  readonly count: number
  /** Whether there are more than could be counted. */
  readonly isMore?: boolean
  show(): void
}

/** What has come since: the reader says when it may move what they read. The place for it is there from the start. */
export function NewRows({ count, isMore = false, show }: NewRowsProps) {
  return (
    <div role="status" style={{ minHeight: 30 }}>
      {count > 0 && (
        <Button size="xs" variant="light" leftSection={<IconArrowUp size={14} />} onClick={show}>
          {formatCount(count)}
          {isMore && '+'} new, show {count === 1 ? 'it' : 'them'}
        </Button>
      )}
    </div>
  )
}
