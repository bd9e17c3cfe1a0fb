import { Button, Group, Text } from '@mantine/core'
import { t } from '../../language/t.ts'
import type { Cursors, PageInfo } from './use-cursors.ts'

interface ListPagesProps {
  readonly info: PageInfo | undefined
  readonly cursors: Cursors
  /** The number of rows on the page. */
  readonly shown: number | undefined
}

/** The buttons for the previous and the next page. Nothing for a list of one page. */
export function ListPages({ info, cursors, shown }: ListPagesProps) {
  if (!info) return null
  const isFirst = !info.hasPreviousPage && !cursors.moved
  const isLast = !info.hasNextPage
  if (isFirst && isLast) return null
  return (
    <Group justify="space-between" py="xs">
      <Text size="xs" c="dimmed">
        {shown === 0 ? 'This page is empty.' : isLast ? t('End of the list.') : ''}
      </Text>
      <Group gap="xs">
        {cursors.moved && (
          <Button size="xs" variant="subtle" onClick={cursors.toStart}>
            {t('First page')}
          </Button>
        )}
        <Button
          size="xs"
          variant="default"
          disabled={isFirst || !info.startCursor}
          onClick={() => info.startCursor && cursors.toPrevious(info.startCursor)}
        >
          {t('Previous')}
        </Button>
        <Button
          size="xs"
          variant="default"
          disabled={isLast || !info.endCursor}
          onClick={() => info.endCursor && cursors.toNext(info.endCursor)}
        >
          {t('Next')}
        </Button>
      </Group>
    </Group>
  )
}
