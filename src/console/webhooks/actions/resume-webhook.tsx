import { List } from '@mantine/core'
import { useAction } from '../../api/use-action.ts'
import { Confirm } from '../../components/confirm.tsx'
import { notifySuccess } from '../../components/notify.ts'
import { WebhookResumeDocument } from '../../generated/graphql.ts'

interface ResumeWebhookProps {
  readonly webhookId: string
  readonly opened: boolean
  close(): void
  done(): void
}

/** Ends the hold of a webhook without waiting for a successful probe. */
export function ResumeWebhook({ webhookId, opened, close, done }: ResumeWebhookProps) {
  const { run } = useAction(WebhookResumeDocument)

  async function resume() {
    const outcome = await run({ id: webhookId })
    if (!outcome.ok) return outcome.message
    notifySuccess('The backlog is being released.')
    done()
    return null
  }

  return (
    <Confirm
      opened={opened}
      onClose={close}
      title="Resume this webhook now?"
      action="Resume"
      onConfirm={resume}
    >
      <List size="sm" spacing={6}>
        <List.Item>
          Its backlog is released: 10 deliveries in the first second, twice as many in each that
          follows.
        </List.Item>
        <List.Item>If 10 more attempts in a row fail, it is on hold again.</List.Item>
        <List.Item>Do it when you know that the receiver is back.</List.Item>
      </List>
    </Confirm>
  )
}
