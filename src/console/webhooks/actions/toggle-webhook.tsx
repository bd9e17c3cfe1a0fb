import { List } from '@mantine/core'
import { useAction } from '../../api/use-action.ts'
import { Confirm } from '../../components/confirm.tsx'
import { notifySuccess } from '../../components/notify.ts'
import { type WebhookRowFragment, WebhookUpdateDocument } from '../../generated/graphql.ts'

interface ToggleWebhookProps {
  readonly webhook: Pick<WebhookRowFragment, 'id' | 'enabled'>
  readonly opened: boolean
  close(): void
}

/** Disables a webhook, or enables it again. */
export function ToggleWebhook({ webhook: { id, enabled }, opened, close }: ToggleWebhookProps) {
  const { run } = useAction(WebhookUpdateDocument)

  async function change() {
    const outcome = await run({ id, input: { enabled: !enabled } })
    if (!outcome.ok) return outcome.message
    notifySuccess(enabled ? 'The webhook is paused.' : 'The webhook delivers again.')
    return null
  }

  return (
    <Confirm
      opened={opened}
      onClose={close}
      title={enabled ? 'Pause this webhook?' : 'Resume this webhook?'}
      action={enabled ? 'Pause' : 'Resume'}
      onConfirm={change}
    >
      {enabled ? (
        <List size="sm" spacing={6}>
          <List.Item>
            Pending deliveries wait. They use up no attempts, and go out once it is resumed.
          </List.Item>
          <List.Item>
            Events that are published meanwhile create no deliveries for it. They stay in the log,
            and can be recovered later.
          </List.Item>
        </List>
      ) : (
        <List size="sm" spacing={6}>
          <List.Item>Pending deliveries that waited go out now.</List.Item>
          <List.Item>
            Events that were published while it was paused are not delivered by themselves: recover
            them with “Recover deliveries”.
          </List.Item>
        </List>
      )}
    </Confirm>
  )
}
