import { Alert, Button, Group, Paper, Stack, Textarea, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { Link } from 'react-router'
import type { Outcome } from '../api/use-action.ts'
import { type Problems, problemsByField } from '../components/forms/problems-by-field.ts'
import { UnsavedGuard } from '../components/forms/unsaved-guard.tsx'
import { eventTypeNameProblem, isEventTypeName } from './event-type-name.ts'
import { JsonField } from './json-field.tsx'
import { readJson } from './read-json.ts'

/** As they stand in the form. */
export interface EventTypeDraft {
  readonly name: string
  readonly description: string
  readonly schema: string
  readonly example: string
}

export interface EventTypeFields {
  readonly name: string
  readonly description: string
  readonly schema: unknown
  readonly example: unknown
}

interface EventTypeFormProps {
  readonly initial: EventTypeDraft
  /** Whether the type is there already: its name stays as it is. */
  readonly exists: boolean
  readonly running: boolean
  /** Where Cancel leads. */
  readonly back: string
  onSave(fields: EventTypeFields): Promise<Outcome<unknown>>
}

const FIELDS = ['name', 'description', 'schema', 'example'] as const

export function EventTypeForm({ initial, exists, running, back, onSave }: EventTypeFormProps) {
  const [draft, setDraft] = useState(initial)
  const [problems, setProblems] = useState<Problems<(typeof FIELDS)[number]>>({})
  const [saved, setSaved] = useState(false)
  const changed = FIELDS.some((field) => draft[field] !== initial[field])

  function change(changes: Partial<EventTypeDraft>) {
    setDraft({ ...draft, ...changes })
    const rest = { ...problems }
    for (const field of Object.keys(changes) as (keyof EventTypeDraft)[]) delete rest[field]
    setProblems(rest)
  }

  async function submit(event: FormEvent) {
    event.preventDefault()
    const schema = readJson(draft.schema)
    const example = readJson(draft.example)
    if (schema.problem !== null || example.problem !== null) return
    if (!isEventTypeName(draft.name)) {
      return setProblems({ name: 'Words of letters, digits, _ and -, joined by dots.' })
    }
    setSaved(true)
    const outcome = await onSave({ ...draft, schema: schema.value, example: example.value })
    if (outcome.ok) return
    setSaved(false)
    setProblems(problemsByField(outcome, FIELDS))
  }

  return (
    <Paper withBorder p="lg" component="form" onSubmit={submit} maw={760}>
      <Stack gap="lg">
        <TextInput
          label="Name"
          description={
            exists
              ? 'The name stays as it is: publishers and webhooks know it.'
              : 'Words of letters, digits, _ and -, joined by dots. It cannot be changed later.'
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
          error={eventTypeNameProblem(draft.name) ?? problems.name}
        />
        <Textarea
          label="Description"
          description="What an event of this type says, for those who subscribe. At most 1,000 characters."
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
              ? `${draft.description.length} characters; at most 1,000 are possible.`
              : problems.description
          }
        />
        <JsonField
          label="Schema"
          description="A JSON Schema (2020-12) that the data of every event must meet. Without one, any JSON will do."
          placeholder={'{\n  "type": "object",\n  "properties": {}\n}'}
          value={draft.schema}
          problem={problems.schema}
          onChange={(schema) => change({ schema })}
        />
        <JsonField
          label="Example"
          description="What the data looks like. It must meet the schema, and is what a test event sends."
          placeholder={'{\n  "order": { "id": "or_1042" }\n}'}
          value={draft.example}
          problem={problems.example}
          onChange={(example) => change({ example })}
        />
        {problems.form !== undefined && (
          <Alert color="red" variant="light" role="alert">
            {problems.form}
          </Alert>
        )}
        <Group justify="end" gap="xs">
          <Button component={Link} to={back} variant="default">
            Cancel
          </Button>
          <Button type="submit" loading={running} disabled={exists && !changed}>
            {exists ? 'Save' : 'Add the event type'}
          </Button>
        </Group>
      </Stack>
      <UnsavedGuard unsaved={changed && !saved} />
    </Paper>
  )
}
