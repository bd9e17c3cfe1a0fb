import { Alert, Button, Group, Modal, Select, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { useAction } from '../../api/use-action.ts'
import { useRead } from '../../api/use-read.ts'
import { JsonBlock } from '../../components/json/json-block.tsx'
import {
  WebhookCatalogueDocument,
  type WebhookRowFragment,
  WebhookTestDocument,
} from '../../generated/graphql.ts'
import { t } from '../../strings/t.ts'
import { TestProgress } from './test-progress.tsx'

interface TestEventProps {
  readonly webhook: WebhookRowFragment
  readonly opened: boolean
  close(): void
}

/** Sends the example of an event type to one webhook, and follows the delivery. */
export function TestEvent({ webhook, opened, close }: TestEventProps) {
  return (
    <Modal
      opened={opened}
      onClose={close}
      size="lg"
      centered
      title={<Text fw={650}>{t('webhooks:testEvent.sendTestEvent')}</Text>}
    >
      {opened && <TestForm webhook={webhook} close={close} />}
    </Modal>
  )
}

function TestForm({ webhook, close }: Omit<TestEventProps, 'opened'>) {
  const { data } = useRead(WebhookCatalogueDocument, {})
  const { run, running } = useAction(WebhookTestDocument)
  const [chosen, setChosen] = useState<string | null>(null)
  const [deliveryId, setDeliveryId] = useState<string | null>(null)
  const [error, setError] = useState<string | null>(null)
  const types = (data?.eventTypes ?? []).filter(
    ({ name, example }) =>
      webhook.eventSubscriptions.includes(name) && example !== null && example !== undefined,
  )
  const type = types.find(({ name }) => name === chosen) ?? types[0]

  async function send() {
    if (!type) return
    setError(null)
    setDeliveryId(null)
    const outcome = await run({ webhookId: webhook.id, input: { eventType: type.name } })
    if (outcome.ok) setDeliveryId(outcome.value.delivery.id)
    else setError(outcome.message)
  }

  if (!webhook.enabled) {
    return <Text size="sm">{t('webhooks:testEvent.thisWebhookIsDisabled')}</Text>
  }
  if (data && !type) {
    return <Text size="sm">{t('webhooks:testEvent.noneOfThisWebhook')}</Text>
  }
  return (
    <Stack>
      <Text size="sm" c="dimmed">
        {t('webhooks:testEvent.onlyThisWebhookReceives')}
      </Text>
      <Select
        label={t('webhooks:testEvent.eventType')}
        data={types.map(({ name }) => name)}
        value={type?.name ?? null}
        allowDeselect={false}
        searchable={types.length > 8}
        onChange={(name) => {
          setChosen(name)
          setDeliveryId(null)
        }}
      />
      {type && <JsonBlock value={type.example} label={t('webhooks:testEvent.theExample')} />}
      {error !== null && (
        <Alert
          color="red"
          variant="light"
          role="alert"
          title={t('webhooks:testEvent.sendingFailed')}
        >
          {error}
        </Alert>
      )}
      {deliveryId !== null && <TestProgress webhookId={webhook.id} deliveryId={deliveryId} />}
      <Group justify="end" gap="xs">
        <Button variant="default" onClick={close}>
          {t('webhooks:testEvent.close')}
        </Button>
        <Button loading={running || !data} onClick={send}>
          {deliveryId === null ? 'Send' : 'Send another'}
        </Button>
      </Group>
    </Stack>
  )
}
