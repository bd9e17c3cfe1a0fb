import { List } from '@mantine/core'
import { useAction } from '../../api/use-action.ts'
import { Confirm } from '../../components/confirm.tsx'
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

  return (
    <Confirm
      opened={opened}
      onClose={close}
      title="Resume this webhook now?"
      action="Resume"
      onConfirm={() => run({ id: webhookId })}
      success="Webhook resumed."
      onDone={done}
    >
      <List size="sm" spacing={6}>
        <List.Item>
          The waiting deliveries are sent: 10 in the first second, then twice as many each second.
        </List.Item>
        <List.Item>After 10 more failed attempts in a row, the webhook is on hold again.</List.Item>
        <List.Item>Resume when you know that the endpoint works again.</List.Item>
      </List>
    </Confirm>
  )
}
