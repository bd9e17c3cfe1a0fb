import { Text } from '@mantine/core'
import { hostAndPath } from '../lib/format.ts'
import type { Named } from './webhook-name.ts'

interface WebhookOfProps {
  readonly row: { readonly webhook?: Named | null; readonly webhookId: string }
}

/** The webhook of a row in a list: its description and its URL, or its id for viewers who may not see it. */
export function WebhookOf({ row: { webhook, webhookId } }: WebhookOfProps) {
  if (!webhook) return <span className="ph-mono">{webhookId}</span>
  if (!webhook.description) return hostAndPath(webhook.url)
  return (
    <>
      {webhook.description}{' '}
      <Text span size="xs" c="dimmed">
        {hostAndPath(webhook.url)}
      </Text>
    </>
  )
}
