import { List } from '@mantine/core'
import { useAction } from '../api/use-action.ts'
import { Confirm } from '../components/confirm.tsx'
import { notifyDone } from '../components/notify.ts'
import { WebhookReleaseDocument } from '../generated/graphql.ts'

interface ResumeWebhookProps {
  readonly webhookId: string
  readonly opened: boolean
  close(): void
  done(): void
}

/** Sends what is held back of a webhook, without waiting for a probe to succeed. */
export function ResumeWebhook({ webhookId, opened, close, done }: ResumeWebhookProps) {
  const { run } = useAction(WebhookReleaseDocument)

  async function release() {
    const outcome = await run({ id: webhookId })
    if (!outcome.ok) return outcome.message
    notifyDone('The deliveries go out.')
    done()
    return null
  }

  return (
    <Confirm
      opened={opened}
      onClose={close}
      title="Release the deliveries now?"
      action="Release"
      onConfirm={release}
    >
      <List size="sm" spacing={6}>
        <List.Item>
          What is held back goes out: 10 deliveries in the first second, twice as many in each that
          follows.
        </List.Item>
        <List.Item>If 10 more attempts in a row fail, they are held back again.</List.Item>
        <List.Item>Do it when you know that the receiver is back.</List.Item>
      </List>
    </Confirm>
  )
}
