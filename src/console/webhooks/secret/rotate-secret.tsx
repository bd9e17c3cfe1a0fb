import { List } from '@mantine/core'
import { useAction } from '../../api/use-action.ts'
import { Confirm } from '../../components/confirm.tsx'
import { notifySuccess } from '../../components/notify.ts'
import { WebhookRotateSecretDocument } from '../../generated/graphql.ts'

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
    const outcome = await run({ webhookId })
    if (!outcome.ok) return outcome.message
    notifySuccess('There is a new secret. Give it to your receiver.')
    done()
    return null
  }

  return (
    <Confirm
      opened={opened}
      onClose={close}
      title="Rotate the signing secret?"
      action="Rotate"
      onConfirm={rotate}
    >
      <List size="sm" spacing={6}>
        <List.Item>
          From that moment on the new secret alone signs every attempt, retries included.
        </List.Item>
        <List.Item>
          A receiver that knows only the old one rejects them until it is given the new one: their
          deliveries fail, and are tried again as the retry schedule says.
        </List.Item>
        <List.Item>
          The old one stays valid for 24 hours, shown here, and is then erased. Let the receiver
          accept both for that long.
        </List.Item>
      </List>
    </Confirm>
  )
}
