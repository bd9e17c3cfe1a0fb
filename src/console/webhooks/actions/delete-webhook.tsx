import { List, Text } from '@mantine/core'
import { useNavigate } from 'react-router'
import { useAction } from '../../api/use-action.ts'
import { Confirm } from '../../components/confirm.tsx'
import { WebhookDeleteDocument, type WebhookRowFragment } from '../../generated/graphql.ts'

interface DeleteWebhookProps {
  readonly webhook: Pick<WebhookRowFragment, 'id' | 'url'>
  readonly opened: boolean
  close(): void
}

export function DeleteWebhook({ webhook: { id, url }, opened, close }: DeleteWebhookProps) {
  const navigate = useNavigate()
  const { run } = useAction(WebhookDeleteDocument)

  return (
    <Confirm
      opened={opened}
      onClose={close}
      title="Delete this webhook?"
      action="Delete"
      destructive
      onConfirm={() => run({ id })}
      success="Webhook deleted."
      onDone={() => navigate('/webhooks')}
    >
      <Text size="sm" mb="sm" className="ph-mono">
        {url}
      </Text>
      <List size="sm" spacing={6}>
        <List.Item>No more deliveries are sent. Unfinished deliveries are canceled.</List.Item>
        <List.Item>
          The signing secret and the custom headers are deleted. A new webhook with the same URL
          gets a new secret.
        </List.Item>
        <List.Item>Past deliveries stay visible until their retention period ends.</List.Item>
        <List.Item>
          This cannot be undone. To stop deliveries for a while, disable the webhook instead.
        </List.Item>
      </List>
    </Confirm>
  )
}
