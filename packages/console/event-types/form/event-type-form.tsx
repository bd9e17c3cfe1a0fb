import { Checkbox, NumberInput, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import type { EditConflict, Outcome } from '../../api/use-action.ts'
import { EditConflicts } from '../../components/forms/edit-conflicts.tsx'
import { type FieldErrors, fieldErrorsOf } from '../../components/forms/field-errors.ts'
import { FormButtons, FormError, useInitialFocus } from '../../components/forms/form-parts.tsx'
import { JsonField, parseJson } from '../../components/forms/json-field.tsx'
import { UnsavedGuard } from '../../components/forms/unsaved-guard.tsx'
import type { UpdateEventTypeInput } from '../../generated/graphql.ts'
import { formatCount } from '../../lib/format.ts'
import { breaksSelections } from '../breaks-selections.ts'
import type { EventTypeDraft, EventTypeFields } from './event-type-draft.ts'
import { eventTypeNameError, isEventTypeName } from './event-type-name.ts'

type SavedFields = EventTypeFields & Pick<UpdateEventTypeInput, 'acceptBrokenSelections'>

interface EventTypeFormProps {
  readonly initial: EventTypeDraft
  /** Whether the event type exists already, so that its name is fixed. */
  readonly exists: boolean
  readonly running: boolean
  /** The page that Cancel leads to. */
  readonly back: string
  onSave(fields: SavedFields, draft: EventTypeDraft): Promise<Outcome<unknown>>
  /** The fields that somebody else changed in the meantime. */
  readonly conflict?: EditConflict | null
}

const FIELDS = ['name', 'description', 'schema', 'example', 'searchKeys', 'retentionDays'] as const

export function EventTypeForm({ initial, exists, running, back, ...edit }: EventTypeFormProps) {
  const nameField = useInitialFocus(!exists)
  const [draft, setDraft] = useState(initial)
  const [errors, setErrors] = useState<FieldErrors<(typeof FIELDS)[number]>>({})
  const [saved, setSaved] = useState(false)
  // Null unless the last attempt would have broken selections of webhooks.
  const [acceptsBroken, setAcceptsBroken] = useState<boolean | null>(null)
  const changed = FIELDS.some((field) => draft[field] !== initial[field])

  function change(changes: Partial<EventTypeDraft>) {
    setDraft({ ...draft, ...changes })
    const rest = { ...errors }
    for (const field of Object.keys(changes) as (keyof EventTypeDraft)[]) delete rest[field]
    setErrors(rest)
  }

  async function submit(event: FormEvent) {
    event.preventDefault()
    const schema = parseJson(draft.schema)
    const example = parseJson(draft.example)
    if (schema.error !== null || example.error !== null) return
    if (!isEventTypeName(draft.name)) {
      return setErrors({ name: 'Use words of letters, digits, _ and -, separated by dots.' })
    }
    setSaved(true)
    const searchKeys = draft.searchKeys
      .trim()
      .split(/\s*\n\s*/)
      .filter(Boolean)
    const payloads = { schema: schema.value, example: example.value }
    const retentionDays = draft.retentionDays === '' ? null : Number(draft.retentionDays)
    const fields = { ...draft, ...payloads, searchKeys, retentionDays }
    const outcome = await edit.onSave(
      acceptsBroken ? { ...fields, acceptBrokenSelections: true } : fields,
      draft,
    )
    if (outcome.ok) return
    setSaved(false)
    if (!outcome.conflict) setErrors(fieldErrorsOf(outcome, FIELDS))
    if (breaksSelections(outcome)) setAcceptsBroken(false)
  }

  return (
    <form onSubmit={submit} style={{ maxWidth: 760 }}>
      <Stack gap="lg">
        <TextInput
          ref={nameField}
          label="Name"
          description={
            exists
              ? 'The name cannot be changed: publishers and webhooks use it.'
              : 'Words of letters, digits, _ and -, separated by dots. The name cannot be changed later.'
          }
          placeholder="order.shipped"
          required
          withAsterisk={false}
          readOnly={exists}
          variant={exists ? 'filled' : 'default'}
          spellCheck={false}
          autoComplete="off"
          value={draft.name}
          onChange={(event) => change({ name: event.currentTarget.value })}
          error={eventTypeNameError(draft.name) ?? errors.name}
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
          value={draft.description}
          onChange={(event) => change({ description: event.currentTarget.value })}
          error={
            draft.description.length > 1_000
              ? `${formatCount(draft.description.length)} characters; the maximum is 1,000.`
              : errors.description
          }
        />
        <JsonField
          isOptional
          label="Schema"
          description="A JSON Schema (2020-12) for the data of every event. Empty: any JSON."
          placeholder={'{\n  "type": "object",\n  "properties": {}\n}'}
          value={draft.schema}
          error={errors.schema}
          onChange={(schema) => change({ schema })}
        />
        <JsonField
          isOptional
          label="Example"
          description="Sample data, which must match the schema. Test events send this example."
          placeholder={'{\n  "order": { "id": "or_1042" }\n}'}
          value={draft.example}
          error={errors.example}
          onChange={(example) => change({ example })}
        />
        <Textarea
          label={
            <>
              Search keys{' '}
              <Text span size="sm" c="dimmed" fw={400}>
                (optional)
              </Text>
            </>
          }
          description="Up to 8 JSON paths, one per line. The API finds later events and their deliveries by the values at these paths."
          placeholder={'$.order.id\n$.customer.email'}
          autosize
          minRows={2}
          maxRows={8}
          spellCheck={false}
          autoComplete="off"
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 13 } }}
          value={draft.searchKeys}
          error={errors.searchKeys}
          onChange={(event) => change({ searchKeys: event.currentTarget.value })}
        />
        <NumberInput
          label={
            <>
              Retention{' '}
              <Text span size="sm" c="dimmed" fw={400}>
                (optional)
              </Text>
            </>
          }
          description="How many days events of this type are kept, if that is shorter than others are kept."
          placeholder="As other events"
          suffix=" days"
          allowDecimal={false}
          allowNegative={false}
          value={draft.retentionDays}
          error={errors.retentionDays}
          onChange={(days) => change({ retentionDays: String(days) })}
        />
        <EditConflicts conflict={edit.conflict} />
        <FormError>{errors.form}</FormError>
        {acceptsBroken !== null && (
          <Checkbox
            label="Save all the same"
            description="Each of these webhooks goes on sending what its selection took when it was saved."
            checked={acceptsBroken}
            onChange={(event) => setAcceptsBroken(event.currentTarget.checked)}
          />
        )}
        <FormButtons
          action={exists ? 'Save' : 'Create event type'}
          loading={running}
          disabled={exists && !changed}
          dismiss={back}
        />
      </Stack>
      <UnsavedGuard unsaved={changed && !saved} />
    </form>
  )
}
