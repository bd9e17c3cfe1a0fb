import { List, Text } from '@mantine/core'
import { useNavigate } from 'react-router'
import { useAction } from '../../api/use-action.ts'
import { Confirm } from '../../components/confirm.tsx'
import { notifySuccess } from '../../components/notify.ts'
import { WebhookDeleteDocument, type WebhookRowFragment } from '../../generated/graphql.ts'

interface DeleteWebhookProps {
  readonly webhook: Pick<WebhookRowFragment, 'id' | 'url'>
  readonly opened: boolean
  close(): void
}

export function DeleteWebhook({ webhook: { id, url }, opened, close }: DeleteWebhookProps) {
  const navigate = useNavigate()
  const { run } = useAction(WebhookDeleteDocument)

  async function remove() {
    const outcome = await run({ id })
    if (!outcome.ok) return outcome.message
    navigate('/webhooks')
    notifySuccess('The webhook was deleted.')
    return null
  }

  return (
    <Confirm
      opened={opened}
      onClose={close}
      title="Delete this webhook?"
      action="Delete"
      destructive
      onConfirm={remove}
    >
      <Text size="sm" mb="sm" className="ph-mono">
        {url}
      </Text>
      <List size="sm" spacing={6}>
        <List.Item>It is sent nothing any more. Pending deliveries are canceled.</List.Item>
        <List.Item>
          Its signing secret and its custom headers are erased. A webhook with the same address gets
          another secret.
        </List.Item>
        <List.Item>
          What was delivered stays on record for as long as deliveries are kept.
        </List.Item>
        <List.Item>This cannot be undone. To stop it for a while, pause it instead.</List.Item>
      </List>
    </Confirm>
  )
}
