import { List } from '@mantine/core'
import { useAction } from '../../api/use-action.ts'
import { Confirm } from '../../components/confirm.tsx'
import { notifySuccess } from '../../components/notify.ts'
import { type WebhookRowFragment, WebhookUpdateDocument } from '../../generated/graphql.ts'
import { t } from '../../strings/t.ts'

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
    notifySuccess(enabled ? t('webhooks:toggle.disabled') : t('webhooks:toggle.enabled'))
    return null
  }

  return (
    <Confirm
      opened={opened}
      onClose={close}
      title={enabled ? t('webhooks:toggle.disableTitle') : t('webhooks:toggle.enableTitle')}
      action={enabled ? t('webhooks:toggle.disable') : t('webhooks:toggle.enable')}
      onConfirm={change}
    >
      {enabled ? (
        <List size="sm" spacing={6}>
          <List.Item>{t('webhooks:toggle.waitingEffect')}</List.Item>
          <List.Item>{t('webhooks:toggle.eventsEffect')}</List.Item>
        </List>
      ) : (
        <List size="sm" spacing={6}>
          <List.Item>{t('webhooks:toggle.sendingEffect')}</List.Item>
          <List.Item>{t('webhooks:toggle.missedEffect')}</List.Item>
        </List>
      )}
    </Confirm>
  )
}
