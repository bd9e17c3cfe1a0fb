import { Text } from '@mantine/core'
import { hostAndPath } from '../lib/format.ts'
import type { Named } from './webhook-name.ts'

/** A webhook in a list: its description, and its URL. */
function WebhookLabel({ webhook: { url, description } }: { webhook: Named }) {
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

interface WebhookOfProps {
  readonly row: { readonly webhook?: Named | null; readonly webhookId: string }
}

/** The webhook of a row in a list, or its id for viewers who may not see it. */
export function WebhookOf({ row: { webhook, webhookId } }: WebhookOfProps) {
  if (webhook) return <WebhookLabel webhook={webhook} />
  return <span className="ph-mono">{webhookId}</span>
}
