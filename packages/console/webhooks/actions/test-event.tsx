import { Modal, Skeleton, Stack, Text } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { useNavigate } from 'react-router'
import { useAction } from '../../api/use-action.ts'
import { useRead } from '../../api/use-read.ts'
import { type FieldErrors, fieldErrorsOf } from '../../components/forms/field-errors.ts'
import { FormButtons, FormError } from '../../components/forms/form-parts.tsx'
import { notifySuccess } from '../../components/notify.ts'
import { QueryError } from '../../components/query-error.tsx'
import { draftOf, EventFields } from '../../events/event-fields.tsx'
import { parsePayload } from '../../events/parse-payload.ts'
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
    <Modal opened={opened} onClose={close} size="lg" centered title={t('Send test event')}>
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
  const [draft, setDraft] = useState(() => draftOf(types))
  const [errors, setErrors] = useState<FieldErrors<'type' | 'data'>>({})
  const payload = parsePayload(draft.text)

  async function send(event: FormEvent) {
    event.preventDefault()
    if (!payload.ok) return
    const input = { eventType: draft.type, ...(hasOwnPayload && { data: payload.value }) }
    const outcome = await run({ id: webhook.id, input })
    if (!outcome.ok) return setErrors(fieldErrorsOf(outcome, ['type', 'data']))
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
        <EventFields
          types={types}
          draft={draft}
          errors={payload.ok ? errors : { data: payload.error }}
          mayWrite={hasOwnPayload}
          onChange={(changed) => {
            setDraft(changed)
            setErrors({})
          }}
        />
        <FormError title="Sending failed">{errors.form}</FormError>
        <FormButtons action={t('Send')} loading={running} disabled={!payload.ok} dismiss={close} />
      </Stack>
    </form>
  )
}
