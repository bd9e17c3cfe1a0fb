import { List } from '@mantine/core'
import { useAction } from '../../api/use-action.ts'
import { Confirm } from '../../components/confirm.tsx'
import { notifySuccess } from '../../components/notify.ts'
import { WebhookRotateSecretDocument } from '../../generated/graphql.ts'
import { t } from '../../strings/t.ts'

interface RotateSecretProps {
  readonly webhookId: string
  readonly opened: boolean
  close(): void
  done(): void
}

/** Rotates the signing secret, after explaining what that means for the receiver. */
export function RotateSecret({ webhookId, opened, close, done }: RotateSecretProps) {
  const { run } = useAction(WebhookRotateSecretDocument)

  async function rotate() {
    const outcome = await run({ id: webhookId })
    if (!outcome.ok) return outcome.message
    notifySuccess(t('webhooks:rotateSecret.done'))
    done()
    return null
  }

  return (
    <Confirm
      opened={opened}
      onClose={close}
      title={t('webhooks:rotateSecret.title')}
      action={t('webhooks:rotateSecret.confirm')}
      onConfirm={rotate}
    >
      <List size="sm" spacing={6}>
        <List.Item>{t('webhooks:rotateSecret.newSecret')}</List.Item>
        <List.Item>{t('webhooks:rotateSecret.receiver')}</List.Item>
        <List.Item>{t('webhooks:rotateSecret.oldSecret')}</List.Item>
      </List>
    </Confirm>
  )
}
