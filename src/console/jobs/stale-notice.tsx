import { Button, Text } from '@mantine/core'
import { t } from '../strings/t.ts'

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
        {t('jobs:news.loadFailed', { reason: error })}
      </Text>
    )
  }
  if (more === 0 && fewer === 0) return null
  const news = [
    more > 0 && t('jobs:news.more', { count: more }),
    fewer > 0 && t('jobs:news.fewer', { count: fewer }),
  ].filter((text) => text !== false)
  return (
    <Button size="xs" variant="light" onClick={onShow}>
      {t('jobs:news.refresh', { changes: news.join(', ') })}
    </Button>
  )
}
