import { List, Text } from '@mantine/core'
import { useNavigate } from 'react-router'
import { useAction } from '../../api/use-action.ts'
import { Confirm } from '../../components/confirm.tsx'
import {
  WebhookDeleteDocument,
  WebhookResumeDocument,
  type WebhookRowFragment,
  WebhookUpdateDocument,
} from '../../generated/graphql.ts'
import { t } from '../../language/t.ts'
import { maskUrl } from '../../lib/mask-url.ts'

interface ToggleWebhookProps {
  readonly webhook: Pick<WebhookRowFragment, 'id' | 'enabled'>
  readonly opened: boolean
  close(): void
}

/** Disables a webhook, or enables it again. */
export function ToggleWebhook({ webhook, opened, close }: ToggleWebhookProps) {
  const { id, enabled } = webhook
  const { run } = useAction(WebhookUpdateDocument)

  return (
    <Confirm
      opened={opened}
      onClose={close}
      title={enabled ? t('Disable this webhook?') : t('Enable this webhook?')}
      action={enabled ? t('Disable') : t('Enable')}
      onConfirm={() => run({ id, input: { enabled: !enabled } })}
      success={enabled ? t('Webhook disabled.') : t('Webhook enabled.')}
    >
      {enabled ? (
        <List size="sm" spacing={6}>
          <List.Item>
            {t(
              'Unfinished deliveries wait until the webhook is enabled. Waiting uses no attempts.',
            )}
          </List.Item>
          <List.Item>
            {t(
              'Events published while the webhook is disabled create no deliveries for this webhook. You can recover these events later.',
            )}
          </List.Item>
        </List>
      ) : (
        <List size="sm" spacing={6}>
          <List.Item>{t('Waiting deliveries are sent now.')}</List.Item>
          <List.Item>
            {t(
              'Events published while the webhook was disabled are not delivered automatically. To send these events, choose “Recover deliveries”.',
            )}
          </List.Item>
        </List>
      )}
    </Confirm>
  )
}

interface DeleteWebhookProps {
  readonly webhook: Pick<WebhookRowFragment, 'id' | 'url'>
  readonly opened: boolean
  close(): void
}

export function DeleteWebhook({ webhook: { id, url }, opened, close }: DeleteWebhookProps) {
  const navigate = useNavigate()
  const { run } = useAction(WebhookDeleteDocument)

  return (
    <Confirm
      opened={opened}
      onClose={close}
      title={t('Delete this webhook?')}
      action={t('Delete')}
      destructive
      onConfirm={() => run({ id })}
      success={t('Webhook deleted.')}
      onDone={() => navigate('/webhooks')}
    >
      <Text size="sm" mb="sm" className="ph-mono">
        {maskUrl(url)}
      </Text>
      <List size="sm" spacing={6}>
        <List.Item>
          {t('No more deliveries are sent. Unfinished deliveries are canceled.')}
        </List.Item>
        <List.Item>
          The signing secret and the custom headers are deleted. A new webhook with the same URL
          gets a new secret.
        </List.Item>
        <List.Item>Past deliveries stay visible until their retention period ends.</List.Item>
        <List.Item>
          {t('This cannot be undone. To stop deliveries for a while, disable the webhook instead.')}
        </List.Item>
      </List>
    </Confirm>
  )
}

interface ResumeWebhookProps {
  readonly webhook: Pick<WebhookRowFragment, 'id'>
  readonly opened: boolean
  close(): void
}

/** Ends the hold of a webhook without waiting for a successful probe. */
export function ResumeWebhook({ webhook: { id }, opened, close }: ResumeWebhookProps) {
  const { run } = useAction(WebhookResumeDocument)

  return (
    <Confirm
      opened={opened}
      onClose={close}
      title={t('Resume this webhook now?')}
      action={t('Resume')}
      onConfirm={() => run({ id })}
      success={t('Webhook resumed.')}
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
