import { Text } from '@mantine/core'
import { hostAndPath } from '../format.ts'
import type { Named } from './webhook-name.ts'

/** A webhook in a list: its description, and its URL. */
export function WebhookLabel({ webhook: { url, description } }: { webhook: Named }) {
  if (!description) return hostAndPath(url)
  return (
    <>
      {description}{' '}
      <Text span size="xs" c="dimmed">
        {hostAndPath(url)}
      </Text>
    </>
  )
}
