import { Button, Text } from '@mantine/core'
import { formatCount } from '../../lib/format.ts'

interface StaleNoticeProps {
  /** Why the last reload failed. */
  readonly error: string | null
  readonly more: number
  readonly fewer: number
  onShow(): void
}

/** Reports what changed while the rows were frozen. */
export function StaleNotice({ error, more, fewer, onShow }: StaleNoticeProps) {
  if (error !== null) {
    return (
      <Text size="sm" c="red" role="status">
        {`${error} Retrying.`}
      </Text>
    )
  }
  if (more === 0 && fewer === 0) return null
  const news = [
    more > 0 && `${formatCount(more)} new`,
    fewer > 0 && `${formatCount(fewer)} gone`,
  ].filter((text) => text !== false)
  return (
    <Button size="xs" variant="light" onClick={onShow}>
      {`${news.join(', ')}: refresh the list`}
    </Button>
  )
}
