import { Button, Group, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { Link } from 'react-router'
import { useAction } from '../../api/use-action.ts'
import { FormError } from '../../components/forms/form-parts.tsx'
import { WebhookTestDocument } from '../../generated/graphql.ts'
import { TestProgress } from '../../webhooks/actions/test-progress.tsx'
import { TYPE_OF_CHANNELS } from './channel-query.ts'

interface ChannelTestProps {
  readonly webhookId: string
  /** Slack, for example. */
  readonly name: string
  onClose(): void
}

/** Sends the example of a notice to a channel, and shows what the channel answers. */
export function ChannelTest({ webhookId, name, onClose }: ChannelTestProps) {
  const { run, running } = useAction(WebhookTestDocument)
  const [deliveryId, setDeliveryId] = useState<string | null>(null)
  const [error, setError] = useState<string | null>(null)

  async function send() {
    setDeliveryId(null)
    const outcome = await run({ id: webhookId, input: { eventType: TYPE_OF_CHANNELS } })
    setError(outcome.ok ? null : outcome.message)
    if (outcome.ok) setDeliveryId(outcome.value.delivery.id)
  }

  return (
    <Stack gap="lg">
      <Text size="sm">
        Notices go to {name}. A test sends an example: that a webhook is on hold.
      </Text>
      <FormError title="Sending failed">{error}</FormError>
      {deliveryId !== null && <TestProgress webhookId={webhookId} deliveryId={deliveryId} />}
      <Group justify="end" gap="xs">
        <Button component={Link} to={`/webhooks/${webhookId}`} variant="subtle" me="auto">
          Show webhook
        </Button>
        <Button variant="default" onClick={onClose}>
          Close
        </Button>
        <Button onClick={send} loading={running}>
          {deliveryId === null ? 'Send a test' : 'Send another test'}
        </Button>
      </Group>
    </Stack>
  )
}
