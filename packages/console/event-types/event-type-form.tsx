import { NumberInput, Stack, Switch, Textarea, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { useNavigate } from 'react-router'
import { useAction } from '../api/use-action.ts'
import { Folded } from '../components/folded.tsx'
import { CodeField } from '../components/forms/code-field.tsx'
import { EditConflicts, useEditConflict } from '../components/forms/edit-conflicts.tsx'
import { fieldErrorsOf } from '../components/forms/field-errors.ts'
import { FormButtons, FormError, useInitialFocus } from '../components/forms/form-parts.tsx'
import { JsonField, parseJson } from '../components/forms/json-field.tsx'
import { UnsavedGuard } from '../components/forms/unsaved-guard.tsx'
import { notifySuccess } from '../components/notify.ts'
import {
  EventTypesCreateDocument,
  type EventTypesFieldsFragment,
  EventTypesUpdateDocument,
} from '../generated/graphql.ts'

interface EventTypeFormProps {
  /** Null for a new one. */
  readonly eventType: EventTypesFieldsFragment | null
}

/** The texts keep the values of the time when the page was opened. */
export function EventTypeForm({ eventType }: EventTypeFormProps) {
  const navigate = useNavigate()
  const creation = useAction(EventTypesCreateDocument)
  const update = useAction(EventTypesUpdateDocument)
  const { ifRevision, conflict, report } = useEditConflict(eventType?.revision ?? 0)
  const nameField = useInitialFocus(eventType === null)
  const [saved, setSaved] = useState(false)
  // Once the reader has seen which selections of webhooks break, the same button goes on.
  const [acceptBrokenSelections, accept] = useState(false)
  const form = useForm({ initialValues: textsOf(eventType), onValuesChange: () => accept(false) })

  function run({ archived, ...texts }: Texts) {
    const fields = { ...texts, ...valuesOf(texts), acceptBrokenSelections }
    if (eventType === null) return creation.run({ input: fields })
    // Concurrent changes of the other fields stay.
    const all = Object.entries({ ...fields, archived })
    const input = Object.fromEntries(all.filter(([field]) => form.isDirty(field)))
    return update.run({ id: eventType.id, input: { ...input, ifRevision, acceptBrokenSelections } })
  }

  async function save(texts: Texts) {
    if (parseJson(texts.schema).error !== null || parseJson(texts.example).error !== null) return
    setSaved(true)
    const outcome = await run(texts)
    if (outcome.ok) {
      notifySuccess(`${texts.name} was ${eventType ? 'saved' : 'created'}.`)
      return navigate(`/event-types/${texts.name}`, { replace: true })
    }
    setSaved(false)
    report(outcome.conflict ?? null)
    accept(outcome.issues.some(({ path }) => path[0] === 'acceptBrokenSelections'))
    if (!outcome.conflict) form.setErrors(fieldErrorsOf(outcome, Object.keys(texts)))
  }

  const codeProps = (field: 'schema' | 'example' | 'searchKeys') => ({
    value: form.values[field],
    error: form.errors[field] as string | undefined,
    onChange: (text: string) => form.setFieldValue(field, text),
  })

  return (
    <form onSubmit={form.onSubmit(save)} style={{ maxWidth: 760 }}>
      <Stack gap="lg">
        <TextInput
          ref={nameField}
          label="Name"
          description="Words of letters, digits, _ and -, separated by dots. The name cannot be changed later: publishers and webhooks use it."
          placeholder="order.shipped"
          required
          withAsterisk={false}
          readOnly={eventType !== null}
          variant={eventType ? 'filled' : 'default'}
          spellCheck={false}
          autoComplete="off"
          {...form.getInputProps('name')}
        />
        <Textarea
          label="Description"
          description="What an event of this type means, for subscribers. Up to 1,000 characters."
          placeholder="An order has left the warehouse."
          required
          withAsterisk={false}
          autosize
          minRows={2}
          maxRows={8}
          {...form.getInputProps('description')}
        />
        <JsonField
          isOptional
          label="Schema"
          description="A JSON Schema (2020-12) for the data of every event. Empty: any JSON."
          placeholder={'{\n  "type": "object",\n  "properties": {}\n}'}
          {...codeProps('schema')}
        />
        <JsonField
          isOptional
          label="Example"
          description="Sample data, which must match the schema. Test events send this example."
          placeholder={'{\n  "order": { "id": "or_1042" }\n}'}
          {...codeProps('example')}
        />
        <CodeField
          label="Search keys (optional)"
          description="Up to 8 JSON paths, one per line. Lists find later events and their deliveries by the values at these paths."
          placeholder={'$.order.id\n$.customer.email'}
          {...codeProps('searchKeys')}
        />
        <Folded
          summary="active, and kept as long as other events"
          isSet={eventType?.retentionDays != null || eventType?.archivedAt != null}
          isInvalid={form.errors['retentionDays'] !== undefined}
        >
          <Stack>
            <NumberInput
              label="Retention"
              description="How many days events of this type are kept. Default: as long as others."
              placeholder="As other events"
              suffix=" days"
              allowDecimal={false}
              allowNegative={false}
              {...form.getInputProps('retentionDays')}
            />
            {eventType && (
              <Switch
                label="Archived"
                description="No organization can publish the event type, or add subscriptions to it. Existing subscriptions and events stay, and unfinished deliveries are still sent. Default: active."
                {...form.getInputProps('archived', { type: 'checkbox' })}
              />
            )}
          </Stack>
        </Folded>
        <EditConflicts conflict={conflict} />
        <FormError>{form.errors['form']}</FormError>
        <FormButtons
          action={
            acceptBrokenSelections ? 'Save all the same' : eventType ? 'Save' : 'Create event type'
          }
          loading={creation.running || update.running}
          disabled={eventType !== null && !form.isDirty()}
          dismiss={eventType ? `/event-types/${eventType.name}` : '/event-types'}
        />
      </Stack>
      <UnsavedGuard unsaved={form.isDirty() && !saved} />
    </form>
  )
}

type Texts = ReturnType<typeof textsOf>

const textsOf = (eventType: EventTypesFieldsFragment | null) => ({
  name: eventType?.name ?? '',
  description: eventType?.description ?? '',
  schema: jsonText(eventType?.schema),
  example: jsonText(eventType?.example),
  searchKeys: eventType?.searchKeys.join('\n') ?? '',
  retentionDays: eventType?.retentionDays ?? ('' as number | string),
  archived: (eventType?.archivedAt ?? null) !== null,
})

const jsonText = (value: unknown) => (value == null ? '' : JSON.stringify(value, null, 2))

const valuesOf = ({ schema, example, searchKeys, retentionDays }: Omit<Texts, 'archived'>) => ({
  schema: parseJson(schema).value ?? null,
  example: parseJson(example).value ?? null,
  searchKeys: searchKeys
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean),
  retentionDays: retentionDays === '' ? null : Number(retentionDays),
})
