import { List, Text } from '@mantine/core'
import { useNavigate } from 'react-router'
import { useAction } from '../../api/use-action.ts'
import { Confirm } from '../../components/confirm.tsx'
import { notifySuccess } from '../../components/notify.ts'
import { WebhookDeleteDocument, type WebhookRowFragment } from '../../generated/graphql.ts'
import { t } from '../../strings/t.ts'

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
    notifySuccess(t('webhooks:deleteWebhook.done'))
    return null
  }

  return (
    <Confirm
      opened={opened}
      onClose={close}
      title={t('webhooks:deleteWebhook.title')}
      action={t('webhooks:deleteWebhook.confirm')}
      destructive
      onConfirm={remove}
    >
      <Text size="sm" mb="sm" className="ph-mono">
        {url}
      </Text>
      <List size="sm" spacing={6}>
        <List.Item>{t('webhooks:deleteWebhook.deliveries')}</List.Item>
        <List.Item>{t('webhooks:deleteWebhook.secrets')}</List.Item>
        <List.Item>{t('webhooks:deleteWebhook.history')}</List.Item>
        <List.Item>{t('webhooks:deleteWebhook.warning')}</List.Item>
      </List>
    </Confirm>
  )
}
