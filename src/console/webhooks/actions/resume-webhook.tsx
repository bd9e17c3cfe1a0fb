import { List } from '@mantine/core'
import { useAction } from '../../api/use-action.ts'
import { Confirm } from '../../components/confirm.tsx'
import { notifySuccess } from '../../components/notify.ts'
import { WebhookResumeDocument } from '../../generated/graphql.ts'
import { t } from '../../strings/t.ts'

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
    notifySuccess(t('webhooks:resume.done'))
    done()
    return null
  }

  return (
    <Confirm
      opened={opened}
      onClose={close}
      title={t('webhooks:resume.title')}
      action={t('webhooks:trouble.resume')}
      onConfirm={resume}
    >
      <List size="sm" spacing={6}>
        <List.Item>{t('webhooks:resume.released')}</List.Item>
        <List.Item>{t('webhooks:resume.holdAgain')}</List.Item>
        <List.Item>{t('webhooks:resume.when')}</List.Item>
      </List>
    </Confirm>
  )
}
