import { Alert, Button, Group, List, Select, Stack, Text, Textarea } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { type Rejection, useAction } from '../../api/use-action.ts'
import { parsePayload } from '../../events/parse-payload.ts'
import {
  type WebhookCatalogueQuery,
  type WebhookRowFragment,
  WebhookTestDocument,
} from '../../generated/graphql.ts'
import { useSession } from '../../session/session.tsx'
import { t } from '../../strings/t.ts'
import { TestProgress } from './test-progress.tsx'

type Types = WebhookCatalogueQuery['eventTypes']

interface TestEventFormProps {
  readonly webhook: WebhookRowFragment
  /** The event types that the webhook subscribes to. */
  readonly types: Types
  close(): void
}

/**
 * Chooses the type of a test event and edits its payload, which begins as the example of its type. Without the scope to
 * publish, the payload stays the example.
 */
export function TestEventForm({ webhook, types, close }: TestEventFormProps) {
  const { run, running } = useAction(WebhookTestDocument)
  const { can } = useSession()
  const hasOwnPayload = can('events:publish')
  const [type, setType] = useState(types[0]?.name ?? '')
  const [text, setText] = useState(() => exampleOf(types, type))
  const [deliveryId, setDeliveryId] = useState<string | null>(null)
  const [rejection, setRejection] = useState<Rejection | null>(null)
  const payload = parsePayload(text)
  const problems = rejection?.issues.filter(({ path }) => path[0] === 'data') ?? []

  function choose(name: string | null) {
    if (name === null) return
    // Replaces an unedited example, and keeps typed text.
    if (text.trim() === '' || text === exampleOf(types, type)) setText(exampleOf(types, name))
    setType(name)
    setRejection(null)
    setDeliveryId(null)
  }

  async function send(event: FormEvent) {
    event.preventDefault()
    if (!payload.ok) return
    setDeliveryId(null)
    const input = { eventType: type, ...(hasOwnPayload && { data: payload.value }) }
    const outcome = await run({ id: webhook.id, input })
    setRejection(outcome.ok ? null : outcome)
    if (outcome.ok) setDeliveryId(outcome.value.delivery.id)
  }

  return (
    <form onSubmit={send}>
      <Stack>
        <Text size="sm" c="dimmed">
          {t(webhook.enabled ? 'webhooks:test.help' : 'webhooks:test.helpDisabled')}
        </Text>
        <Select
          label={t('webhooks:test.type')}
          data={types.map(({ name }) => name)}
          value={type}
          allowDeselect={false}
          searchable={types.length > 8}
          onChange={choose}
        />
        <Textarea
          label={t('webhooks:test.payload')}
          description={t(hasOwnPayload ? 'webhooks:test.payloadHint' : 'webhooks:test.exampleHint')}
          readOnly={!hasOwnPayload}
          autosize
          minRows={6}
          maxRows={16}
          spellCheck={false}
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 13 } }}
          value={text}
          onChange={({ currentTarget }) => {
            setText(currentTarget.value)
            setRejection(null)
          }}
          error={
            payload.ok ? problems.length > 0 && <Problems problems={problems} /> : payload.error
          }
          errorProps={{ component: 'div', role: 'alert' }}
        />
        {rejection && problems.length === 0 && (
          <Alert color="red" variant="light" role="alert" title={t('webhooks:test.failed')}>
            {rejection.message}
          </Alert>
        )}
        {deliveryId !== null && <TestProgress webhookId={webhook.id} deliveryId={deliveryId} />}
        <Group justify="end" gap="xs">
          <Button variant="default" onClick={close}>
            {t('common:close')}
          </Button>
          <Button type="submit" loading={running} disabled={!payload.ok}>
            {t(deliveryId === null ? 'webhooks:test.send' : 'webhooks:test.sendAnother')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

/** The schema's problems: one line for each field. */
function Problems({ problems }: { problems: Rejection['issues'] }) {
  return (
    <List size="xs" c="inherit">
      {problems.map(({ message }) => (
        <List.Item key={message}>{message}</List.Item>
      ))}
    </List>
  )
}

function exampleOf(types: Types, name: string): string {
  const example = types.find((type) => type.name === name)?.example
  return JSON.stringify(example ?? {}, null, 2)
}
