import { Button, Select, Skeleton, Stack, Textarea, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { useNavigate } from 'react-router'
import { type Rejection, useAction } from '../api/use-action.ts'
import { useRead } from '../api/use-read.ts'
import { FormButtons, FormError } from '../components/forms/form-parts.tsx'
import { notifySuccess } from '../components/notify.ts'
import { QueryError } from '../components/query-error.tsx'
import {
  EventPublishDocument,
  EventPublishTypesDocument,
  type EventPublishTypesQuery,
} from '../generated/graphql.ts'
import { t } from '../language/t.ts'
import { counted } from '../lib/format.ts'
import { readStored, store } from '../lib/storage.ts'
import { useSession } from '../session/session.tsx'
import { exampleOf, parsePayload } from './parse-payload.ts'
import { PublishSnippets } from './publish-snippets.tsx'

interface PublishFormProps {
  /** The event type to begin with, if one is asked for. */
  readonly asked: string | null
  close(): void
}

export function PublishForm({ asked, close }: PublishFormProps) {
  const { data, error, reload } = useRead(EventPublishTypesDocument, {})
  if (error && !data) return <QueryError error={error} reload={reload} />
  return data ? <Form types={data.eventTypes} asked={asked} close={close} /> : <Skeleton h={320} />
}

interface FormProps extends PublishFormProps {
  readonly types: EventPublishTypesQuery['eventTypes']
}

function Form({ types, asked, close }: FormProps) {
  const { can, viewer } = useSession()
  const navigate = useNavigate()
  const { run, running } = useAction(EventPublishDocument)
  const [type, setType] = useState(() => firstType(types, asked, viewer.organization.id))
  const [text, setText] = useState(() => exampleOf(types, type))
  const [idempotencyKey, setIdempotencyKey] = useState('')
  const [rejection, setRejection] = useState<Rejection | null>(null)
  const [withCode, setWithCode] = useState(false)
  const payload = parsePayload(text)
  const chosen = types.find(({ name }) => name === type)
  const issuesOf = (field: string) =>
    rejection?.issues
      .filter(({ path }) => path[0] === field)
      .map(({ path, message }) =>
        path.length > 1 ? `${path.slice(1).join('.')}: ${message}` : message,
      )
      .join(' ') || undefined
  const elsewhere = rejection?.issues.every(({ path }) => !FIELDS.includes(path[0] ?? ''))

  function choose(name: string | null) {
    // Replaces an unedited example, and keeps typed text.
    if (text.trim() === '' || text === exampleOf(types, type)) setText(exampleOf(types, name))
    setType(name)
    setRejection(null)
  }

  async function publish(event: FormEvent) {
    event.preventDefault()
    if (!payload.ok || type === null) return
    const key = idempotencyKey.trim()
    const outcome = await run({
      input: { type, data: payload.value, ...(key && { idempotencyKey: key }) },
    })
    setRejection(outcome.ok ? null : outcome)
    if (!outcome.ok) return
    store('local', lastTypeKey(viewer.organization.id), type)
    const { id, deliveryCount, duplicate } = outcome.value.publishedEvent
    notifySuccess(
      duplicate
        ? 'An earlier event has this idempotency key. This is that event.'
        : `Published, with ${counted(deliveryCount, 'delivery', 'deliveries')}.`,
    )
    if (can('events:read')) navigate(`/events/${id}`)
    else close()
  }

  return (
    <form onSubmit={publish}>
      <Stack>
        <Select
          label={t('Event type')}
          description={chosen?.description}
          data={types.map(({ name }) => name)}
          searchable
          allowDeselect={false}
          nothingFoundMessage={t('No match')}
          value={type}
          onChange={choose}
          error={issuesOf('type')}
          data-autofocus
        />
        <Textarea
          label={t('Payload')}
          description="JSON, up to 256 KiB; must match the schema of the event type."
          autosize
          minRows={8}
          maxRows={20}
          spellCheck={false}
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 13 } }}
          value={text}
          onChange={({ currentTarget }) => {
            setText(currentTarget.value)
            setRejection(null)
          }}
          error={payload.ok ? issuesOf('data') : payload.error}
        />
        <TextInput
          label="Idempotency key"
          description="Optional. Sending the same key again within 24 hours returns the original event."
          maxLength={255}
          value={idempotencyKey}
          onChange={({ currentTarget }) => setIdempotencyKey(currentTarget.value)}
          error={issuesOf('idempotencyKey')}
        />
        <FormError title="Publishing failed">{elsewhere && rejection?.message}</FormError>
        {withCode && payload.ok && type !== null && (
          <PublishSnippets type={type} example={payload.value} />
        )}
        <FormButtons
          action="Publish"
          loading={running}
          disabled={!payload.ok || type === null}
          dismiss={close}
        >
          <Button variant="subtle" mr="auto" onClick={() => setWithCode(!withCode)}>
            {withCode ? 'Hide the code' : 'Publish from code'}
          </Button>
        </FormButtons>
      </Stack>
    </form>
  )
}

const FIELDS = ['type', 'data', 'idempotencyKey']

const lastTypeKey = (organizationId: string) => `posthorn.last-type.${organizationId}`

/** The type that is asked for, or the one that was published last in this browser, or else the first one. */
function firstType(types: FormProps['types'], asked: string | null, organizationId: string) {
  const last = readStored('local', lastTypeKey(organizationId))
  const known = [asked, last].find((name) => types.some((type) => type.name === name))
  return known ?? types[0]?.name ?? null
}
