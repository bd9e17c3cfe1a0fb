import { List, Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
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
  const [secret, setSecret] = useState('')
  const given = secret.trim()

  function finish() {
    setSecret('')
    done()
  }

  return (
    <Confirm
      opened={opened}
      onClose={close}
      title={t('Rotate the signing secret?')}
      action={t('Rotate')}
      onConfirm={() => run({ id: webhookId, input: given === '' ? {} : { secret: given } })}
      success="Secret rotated. Configure the new secret in your receiver."
      onDone={finish}
    >
      <Stack gap="md">
        <List size="sm" spacing={6}>
          <List.Item>
            {t('The new secret signs every attempt from now on, including retries.')}
          </List.Item>
          <List.Item>
            A receiver with only the old secret rejects deliveries until you configure the new
            secret. The failed deliveries are retried by the retry schedule.
          </List.Item>
          <List.Item>
            The old secret stays visible here for 24 hours, and is then deleted. Let the receiver
            accept both secrets during that time. Of more than five old secrets, the oldest is
            deleted at once.
          </List.Item>
        </List>
        <TextInput
          label="A secret of your own"
          description="whsec_ and 24 to 64 bytes in base64, such as that of a former sender. Empty: Posthorn makes a secret."
          autoComplete="off"
          spellCheck={false}
          value={secret}
          onChange={(event) => setSecret(event.currentTarget.value)}
        />
      </Stack>
    </Confirm>
  )
}
