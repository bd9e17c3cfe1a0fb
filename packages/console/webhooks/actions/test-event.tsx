import { Modal, Select, Skeleton, Stack, Text } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { useNavigate } from 'react-router'
import { type Rejection, useAction } from '../../api/use-action.ts'
import { useRead } from '../../api/use-read.ts'
import { CodeField } from '../../components/forms/code-field.tsx'
import { FormButtons, FormError } from '../../components/forms/form-parts.tsx'
import { CodeBlock } from '../../components/json/code-block.tsx'
import { notifySuccess } from '../../components/notify.ts'
import { QueryError } from '../../components/query-error.tsx'
import { exampleOf, parsePayload } from '../../events/parse-payload.ts'
import {
  WebhookCatalogueDocument,
  type WebhookCatalogueQuery,
  type WebhookRowFragment,
  WebhookTestDocument,
} from '../../generated/graphql.ts'
import { t } from '../../language/t.ts'
import { useSession } from '../../session/session.tsx'

interface TestEventProps {
  readonly webhook: WebhookRowFragment
  readonly opened: boolean
  close(): void
}

/** Sends a test event to one webhook, and leads to its delivery. */
export function TestEvent({ webhook, opened, close }: TestEventProps) {
  return (
    <Modal
      opened={opened}
      onClose={close}
      size="lg"
      centered
      title={<Text fw={650}>{t('Send test event')}</Text>}
    >
      <WithTypes webhook={webhook} close={close} />
    </Modal>
  )
}

function WithTypes({ webhook, close }: Omit<TestEventProps, 'opened'>) {
  const { data, error, reload } = useRead(WebhookCatalogueDocument, {})
  if (error && !data) return <QueryError error={error} reload={reload} />
  if (!data) return <Skeleton h={320} />
  const subscriptions = webhook.eventSubscriptions.map(({ name }) => name)
  const types = data.eventTypes.filter(({ name }) => subscriptions.includes(name))
  if (types.length === 0)
    return <Text size="sm">None of this webhook’s event types is in the catalogue.</Text>
  return <TestEventForm webhook={webhook} types={types} close={close} />
}

interface TestEventFormProps extends Omit<TestEventProps, 'opened'> {
  /** The event types that the webhook subscribes to. */
  readonly types: WebhookCatalogueQuery['eventTypes']
}

/**
 * Chooses the type of a test event and edits its payload, which begins as the example of its type. Without the scope to
 * publish, the payload stays the example.
 */
function TestEventForm({ webhook, types, close }: TestEventFormProps) {
  const { run, running } = useAction(WebhookTestDocument)
  const navigate = useNavigate()
  const { can } = useSession()
  const hasOwnPayload = can('events:publish')
  const [type, setType] = useState(types[0]?.name ?? '')
  const [text, setText] = useState(() => exampleOf(types, type))
  const [rejection, setRejection] = useState<Rejection | null>(null)
  const payload = parsePayload(text)
  const problems = rejection?.issues.filter(({ path }) => path[0] === 'data') ?? []

  function choose(name: string | null) {
    if (name === null) return
    // Replaces an unedited example, and keeps typed text.
    if (text.trim() === '' || text === exampleOf(types, type)) setText(exampleOf(types, name))
    setType(name)
    setRejection(null)
  }

  async function send(event: FormEvent) {
    event.preventDefault()
    if (!payload.ok) return
    const input = { eventType: type, ...(hasOwnPayload && { data: payload.value }) }
    const outcome = await run({ id: webhook.id, input })
    if (!outcome.ok) return setRejection(outcome)
    if (can('deliveries:read')) return navigate(`/deliveries/${outcome.value.delivery.id}`)
    notifySuccess('The test event is on its way.')
    close()
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
        {hasOwnPayload ? (
          <CodeField
            label={t('Payload')}
            description="JSON, up to 256 KiB; must match the schema of the event type."
            value={text}
            onChange={(typed) => {
              setText(typed)
              setRejection(null)
            }}
            error={payload.ok ? problems.map(({ message }) => message).join(' ') : payload.error}
          />
        ) : (
          <>
            <CodeBlock label={t('Payload')} code={text} />
            <Text size="xs" c="dimmed">
              A payload of your own requires the scope events:publish.
            </Text>
          </>
        )}
        <FormError title="Sending failed">{problems.length === 0 && rejection?.message}</FormError>
        <FormButtons action={t('Send')} loading={running} disabled={!payload.ok} dismiss={close} />
      </Stack>
    </form>
  )
}
