import { List, Select, Stack, Text, Textarea } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { type Rejection, useAction } from '../../api/use-action.ts'
import { FormButtons, FormError } from '../../components/forms/form-parts.tsx'
import { exampleOf, parsePayload } from '../../events/parse-payload.ts'
import {
  type WebhookCatalogueQuery,
  type WebhookRowFragment,
  WebhookTestDocument,
} from '../../generated/graphql.ts'
import { t } from '../../language/t.ts'
import { useSession } from '../../session/session.tsx'
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
          {webhook.enabled
            ? 'Only this webhook receives the test event, which is signed, retried and recorded like any delivery, and marked as a test.'
            : 'This webhook is disabled and receives no events. The test event is sent once, without retries, and marked as a test.'}
        </Text>
        <Select
          label={t('Event type')}
          data={types.map(({ name }) => name)}
          value={type}
          allowDeselect={false}
          searchable={types.length > 8}
          onChange={choose}
        />
        <Textarea
          label={t('Payload')}
          description={
            hasOwnPayload
              ? 'JSON, up to 256 KiB; must match the schema of the event type.'
              : 'The example of the event type. A payload of your own requires the scope events:publish.'
          }
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
        <FormError title="Sending failed">{problems.length === 0 && rejection?.message}</FormError>
        {deliveryId !== null && <TestProgress webhookId={webhook.id} deliveryId={deliveryId} />}
        <FormButtons
          action={deliveryId === null ? t('Send') : t('Send another')}
          loading={running}
          disabled={!payload.ok}
          dismiss={close}
          dismissLabel={t('Close')}
        />
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
