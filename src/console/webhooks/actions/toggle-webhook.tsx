import { List } from '@mantine/core'
import { useAction } from '../../api/use-action.ts'
import { Confirm } from '../../components/confirm.tsx'
import { type WebhookRowFragment, WebhookUpdateDocument } from '../../generated/graphql.ts'

interface ToggleWebhookProps {
  readonly webhook: Pick<WebhookRowFragment, 'id' | 'enabled'>
  readonly opened: boolean
  close(): void
}

/** Disables a webhook, or enables it again. */
export function ToggleWebhook({ webhook: { id, enabled }, opened, close }: ToggleWebhookProps) {
  const { run } = useAction(WebhookUpdateDocument)

  return (
    <Confirm
      opened={opened}
      onClose={close}
      title={enabled ? 'Disable this webhook?' : 'Enable this webhook?'}
      action={enabled ? 'Disable' : 'Enable'}
      onConfirm={() => run({ id, input: { enabled: !enabled } })}
      success={enabled ? 'Webhook disabled.' : 'Webhook enabled.'}
    >
      {enabled ? (
        <List size="sm" spacing={6}>
          <List.Item>
            Unfinished deliveries wait until the webhook is enabled. Waiting uses no attempts.
          </List.Item>
          <List.Item>
            Events published while the webhook is disabled create no deliveries for this webhook.
            You can recover these events later.
          </List.Item>
        </List>
      ) : (
        <List size="sm" spacing={6}>
          <List.Item>Waiting deliveries are sent now.</List.Item>
          <List.Item>
            Events published while the webhook was disabled are not delivered automatically. To send
            these events, choose “Recover deliveries”.
          </List.Item>
        </List>
      )}
    </Confirm>
  )
}
