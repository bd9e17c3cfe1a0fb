import { Button, Skeleton, Stack } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { type FormEvent, useState } from 'react'
import { useNavigate } from 'react-router'
import { useAction } from '../api/use-action.ts'
import { useRead } from '../api/use-read.ts'
import { type FieldErrors, fieldErrorsOf } from '../components/forms/field-errors.ts'
import { FormButtons, FormError } from '../components/forms/form-parts.tsx'
import { parseJson } from '../components/forms/json-field.tsx'
import { notifySuccess } from '../components/notify.ts'
import { QueryError } from '../components/query-error.tsx'
import { CodeTabs } from '../components/snippets/code-tabs.tsx'
import {
  EventPublishDocument,
  WebhookCatalogueDocument,
  type WebhookCatalogueQuery,
} from '../generated/graphql.ts'
import { counted } from '../lib/format.ts'
import { mount } from '../mount.ts'
import { useSession } from '../session/session.tsx'
import { draftOf, EventFields } from './event-fields.tsx'
import { publishSnippets } from './publish-code.ts'

interface PublishFormProps {
  /** The event type to begin with. Default: the first. */
  readonly asked: string | null
  close(): void
}

export function PublishForm(props: PublishFormProps) {
  const { data, error, reload } = useRead(WebhookCatalogueDocument, {})
  if (error && !data) return <QueryError error={error} reload={reload} />
  return data ? <Form types={data.eventTypes} {...props} /> : <Skeleton h={320} />
}

interface FormProps extends PublishFormProps {
  readonly types: WebhookCatalogueQuery['eventTypes']
}

function Form({ types, asked, close }: FormProps) {
  const { can } = useSession()
  const navigate = useNavigate()
  const { run, running } = useAction(EventPublishDocument)
  const [draft, setDraft] = useState(() => draftOf(types, asked))
  const [errors, setErrors] = useState<FieldErrors<'type' | 'data'>>({})
  const [withCode, code] = useDisclosure()
  const { type, text } = draft
  const payload = parseJson(text)
  const isComplete = type !== '' && payload.error === null && text.trim() !== ''

  async function publish(event: FormEvent) {
    event.preventDefault()
    if (!isComplete) return
    const outcome = await run({ input: { type, dataText: text } })
    if (!outcome.ok) return setErrors(fieldErrorsOf(outcome, ['type', 'data']))
    const { id, deliveryCount } = outcome.value.publishedEvent
    notifySuccess(`Published, with ${counted(deliveryCount, 'delivery', 'deliveries')}.`)
    if (can('events:read')) navigate(`/events/${id}`)
    else close()
  }

  return (
    <form onSubmit={publish}>
      <Stack>
        <EventFields
          types={types}
          draft={draft}
          errors={errors}
          mayWrite
          onChange={(changed) => {
            setDraft(changed)
            setErrors({})
          }}
        />
        <FormError title="Publishing failed">{errors.form}</FormError>
        {withCode && isComplete && <PublishCode type={type} data={payload.value} />}
        <FormButtons action="Publish" loading={running} disabled={!isComplete} dismiss={close}>
          <Button variant="subtle" mr="auto" onClick={code.toggle}>
            {withCode ? 'Hide the code' : 'Publish from code'}
          </Button>
        </FormButtons>
      </Stack>
    </form>
  )
}

/** Code that publishes this event for the reader's organization. */
function PublishCode({ type, data }: { readonly type: string; readonly data: unknown }) {
  const organizationId = useSession().viewer.organization.id
  const actsFor = mount.organizationId !== null
  return (
    <CodeTabs
      snippets={publishSnippets({ origin: location.origin, organizationId, actsFor, type, data })}
      storedAs="posthorn.publish-in"
      needs={(language) =>
        language === 'SQL'
          ? 'Runs in the database of Posthorn. The event exists if and only if your transaction commits.'
          : 'Set POSTHORN_API_KEY to an API key with the scope events:publish.'
      }
    />
  )
}
