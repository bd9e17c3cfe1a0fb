import { Button } from '@mantine/core'
import { t } from '../../language/t.ts'
import { formatCount, plural } from '../../lib/format.ts'

interface NewRowsProps {
  readonly count: number
  /** Whether `count` is a lower bound. */
  readonly isMore?: boolean
  show(): void
}

/** Offers to show new rows: the list moves only when the reader asks. The space for the button is always reserved. */
export function NewRows({ count, isMore = false, show }: NewRowsProps) {
  const shown = `${formatCount(count)}${isMore ? '+' : ''}`
  return (
    <div role="status" style={{ minHeight: 30 }}>
      {count > 0 && (
        <Button size="xs" variant="light" onClick={show}>
          {plural(count, t('1 new, show it'), t('{count} new, show them', { count: shown }))}
        </Button>
      )}
    </div>
  )
}
