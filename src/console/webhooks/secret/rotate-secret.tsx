import { List } from '@mantine/core'
import { useAction } from '../../api/use-action.ts'
import { Confirm } from '../../components/confirm.tsx'
import { WebhookRotateSecretDocument } from '../../generated/graphql.ts'
import { t } from '../../language/t.ts'

interface RotateSecretProps {
  readonly webhookId: string
  readonly opened: boolean
  close(): void
  done(): void
}

/** Rotates the signing secret, after explaining what that means for the receiver. */
export function RotateSecret({ webhookId, opened, close, done }: RotateSecretProps) {
  const { run } = useAction(WebhookRotateSecretDocument)

  return (
    <Confirm
      opened={opened}
      onClose={close}
      title={t('Rotate the signing secret?')}
      action={t('Rotate')}
      onConfirm={() => run({ id: webhookId })}
      success={t('Secret rotated. Configure the new secret in your receiver.')}
      onDone={done}
    >
      <List size="sm" spacing={6}>
        <List.Item>
          {t('The new secret signs every attempt from now on, including retries.')}
        </List.Item>
        <List.Item>
          {t(
            'A receiver with only the old secret rejects deliveries until you configure the new secret. The failed deliveries are retried by the retry schedule.',
          )}
        </List.Item>
        <List.Item>
          {t(
            'The old secret stays visible here for 24 hours, and is then deleted. Let the receiver accept both secrets during that time. Of more than five old secrets, the oldest is deleted at once.',
          )}
        </List.Item>
      </List>
    </Confirm>
  )
}
