import { Select, Text } from '@mantine/core'
import type { FieldErrors } from '../components/forms/field-errors.ts'
import { JsonField } from '../components/forms/json-field.tsx'
import { CodeBlock } from '../components/json/code-block.tsx'
import type { WebhookCatalogueQuery } from '../generated/graphql.ts'
import { t } from '../language/t.ts'
import { exampleOf } from './parse-payload.ts'

type EventTypes = WebhookCatalogueQuery['eventTypes']

/** An event that the reader writes. */
interface EventDraft {
  readonly type: string
  /** The payload as JSON. */
  readonly text: string
}

/** Begins with the example of a type, by default of the first. */
export function draftOf(types: EventTypes, asked: string | null = null): EventDraft {
  const type = (types.find(({ name }) => name === asked) ?? types[0])?.name ?? ''
  return { type, text: exampleOf(types, type) }
}

interface EventFieldsProps {
  readonly types: EventTypes
  readonly draft: EventDraft
  readonly errors: FieldErrors<'type' | 'data'>
  /** Whether the payload can be another than the example. */
  readonly mayWrite: boolean
  onChange(draft: EventDraft): void
}

/** The type of an event and its payload. */
export function EventFields({ types, draft, errors, mayWrite, onChange }: EventFieldsProps) {
  const { type, text } = draft

  function choose(name: string | null) {
    if (name === null) return
    // Replaces an unedited example, and keeps typed text.
    const isTyped = text.trim() !== '' && text !== exampleOf(types, type)
    onChange({ type: name, text: isTyped ? text : exampleOf(types, name) })
  }

  return (
    <>
      <Select
        label={t('Event type')}
        description={types.find(({ name }) => name === type)?.description}
        data={types.map(({ name }) => name)}
        searchable
        openOnFocus={false}
        allowDeselect={false}
        nothingFoundMessage={t('No match')}
        value={type}
        onChange={choose}
        error={errors.type}
        data-autofocus
      />
      {mayWrite ? (
        <JsonField
          label={t('Payload')}
          description="JSON, up to 256 KiB; must match the schema of the event type."
          placeholder="{}"
          value={text}
          onChange={(typed) => onChange({ type, text: typed })}
          error={errors.data}
        />
      ) : (
        <>
          <CodeBlock label={t('Payload')} code={text} />
          <Text size="xs" c="dimmed">
            A payload of your own requires the scope events:publish.
          </Text>
        </>
      )}
    </>
  )
}
