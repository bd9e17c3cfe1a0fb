import { List, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useNavigate } from 'react-router'
import { useAction } from '../../api/use-action.ts'
import { Confirm } from '../../components/confirm.tsx'
import {
  WebhookDeleteDocument,
  WebhookResumeDocument,
  WebhookRotateSecretDocument,
  WebhookUpdateDocument,
} from '../../generated/graphql.ts'
import { t } from '../../language/t.ts'
import { maskUrl } from '../../lib/mask-url.ts'

/** What a change is called, and what it means for deliveries and receivers. */
const CHANGES = {
  enable: {
    title: t('Enable this webhook?'),
    action: t('Enable'),
    success: t('Webhook enabled.'),
    effects: [
      t('Waiting deliveries are sent now.'),
      t(
        'Events published while the webhook was disabled are not delivered automatically. To send these events, choose “Recover deliveries”.',
      ),
    ],
  },
  disable: {
    title: t('Disable this webhook?'),
    action: t('Disable'),
    success: t('Webhook disabled.'),
    effects: [
      t('Unfinished deliveries wait until the webhook is enabled. Waiting uses no attempts.'),
      t(
        'Events published while the webhook is disabled create no deliveries for this webhook. You can recover these events later.',
      ),
    ],
  },
  // Ends the hold without waiting for a successful probe.
  resume: {
    title: t('Resume this webhook now?'),
    action: t('Resume'),
    success: t('Webhook resumed.'),
    effects: [
      'The waiting deliveries are sent: 10 in the first second, then twice as many each second.',
      'After 10 more failed attempts in a row, the webhook is on hold again.',
      'Resume when you know that the endpoint works again.',
    ],
  },
  rotate: {
    title: t('Rotate the signing secret?'),
    action: t('Rotate secret'),
    success: 'Secret rotated. Configure the new secret in your receiver.',
    effects: [
      t('The new secret signs every attempt from now on, including retries.'),
      'A receiver with only the old secret rejects deliveries until you configure the new secret. The failed deliveries are retried by the retry schedule.',
      'The old secret stays visible for 24 hours, and is then deleted. Let the receiver accept both secrets during that time. Of more than five old secrets, the oldest is deleted at once.',
    ],
  },
  delete: {
    title: t('Delete this webhook?'),
    action: t('Delete'),
    success: t('Webhook deleted.'),
    effects: [
      t('No more deliveries are sent. Unfinished deliveries are canceled.'),
      'The signing secret and the custom headers are deleted. A new webhook with the same URL gets a new secret.',
      'Past deliveries stay visible until their retention period ends.',
      t('This cannot be undone. To stop deliveries for a while, disable the webhook instead.'),
    ],
  },
}

export type Change = keyof typeof CHANGES

interface ConfirmChangeProps {
  readonly change: Change
  readonly webhook: { readonly id: string; readonly url: string }
  readonly opened: boolean
  close(): void
  done?(): void
}

/** Asks before a webhook is changed, and says what that means. */
export function ConfirmChange({ change, webhook, opened, close, done }: ConfirmChangeProps) {
  const { id, url } = webhook
  const navigate = useNavigate()
  const update = useAction(WebhookUpdateDocument)
  const resume = useAction(WebhookResumeDocument)
  const rotate = useAction(WebhookRotateSecretDocument)
  const remove = useAction(WebhookDeleteDocument)
  const [secret, setSecret] = useState('')
  const { effects, ...texts } = CHANGES[change]

  function run() {
    if (change === 'delete') return remove.run({ id })
    if (change === 'resume') return resume.run({ id })
    if (change !== 'rotate') return update.run({ id, input: { enabled: change === 'enable' } })
    return rotate.run({ id, input: secret.trim() === '' ? {} : { secret: secret.trim() } })
  }

  function finish() {
    setSecret('')
    if (change === 'delete') navigate('/webhooks')
    if (change === 'rotate')
      navigate(`/webhooks/${id}?tab=secret`, { state: { showsSecret: true } })
    done?.()
  }

  return (
    <Confirm
      {...texts}
      opened={opened}
      onClose={close}
      destructive={change === 'delete'}
      onConfirm={run}
      onDone={finish}
    >
      {change === 'delete' && (
        <Text size="sm" mb="sm" className="ph-mono">
          {maskUrl(url)}
        </Text>
      )}
      <List size="sm" spacing={6}>
        {effects.map((effect) => (
          <List.Item key={effect}>{effect}</List.Item>
        ))}
      </List>
      {change === 'rotate' && (
        <TextInput
          mt="md"
          label="A secret of your own"
          description="whsec_ and 24 to 64 bytes in base64, such as that of a former sender. Empty: Posthorn makes a secret."
          autoComplete="off"
          spellCheck={false}
          value={secret}
          onChange={(event) => setSecret(event.currentTarget.value)}
        />
      )}
    </Confirm>
  )
}
