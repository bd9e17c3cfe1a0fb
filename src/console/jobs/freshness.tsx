import { Button, Text } from '@mantine/core'

interface FreshnessProps {
  /** Why the list could not be read the last time. */
  readonly problem: string | null
  readonly more: number
  readonly fewer: number
  onShow(): void
}

/** What has changed since the rows were held still. */
export function Freshness({ problem, more, fewer, onShow }: FreshnessProps) {
  if (problem !== null) {
    return (
      <Text size="sm" c="red" role="status">
        {problem} Trying again.
      </Text>
    )
  }
  if (more === 0 && fewer === 0) return null
  const news = [more > 0 && `${more} new`, fewer > 0 && `${fewer} gone`].filter(Boolean)
  return (
    <Button size="xs" variant="light" onClick={onShow}>
      {news.join(', ')}: show the list as it is now
    </Button>
  )
}
