import { Button, Group, Stack, Text } from '@mantine/core'
import { useClient } from 'urql'
import { CodeField } from '../../components/forms/code-field.tsx'
import { notifyError } from '../../components/notify.ts'
import { BodyFieldsDocument } from '../../generated/graphql.ts'
import { allFields, withLines } from './all-fields.ts'

interface SelectionEditorProps {
  readonly value: string
  readonly eventTypes: readonly string[]
  /** What is wrong with the text. */
  readonly problem: string | null
  onChange(text: string): void
}

/** So many event types have a button. */
const MAX_BUTTONS = 8

/** A selection in GraphQL, and the fields of each event type to start from. */
export function SelectionEditor({ value, eventTypes, problem, onChange }: SelectionEditorProps) {
  const client = useClient()

  async function addFields(eventType: string) {
    const { data } = await client.query(BodyFieldsDocument, { ids: [`type_${eventType}`] })
    const [node] = data?.nodes ?? []
    const type = node?.__typename === 'EventType' ? node : null
    if (!type?.selectableFields?.length) {
      notifyError('This event type has no schema, so its fields cannot be chosen one by one.')
    } else onChange(withLines(value, allFields(type.graphqlType, type.selectableFields)))
  }

  return (
    <Stack gap="sm">
      <Group gap="xs" role="group" aria-label="Fields of event types">
        <Text size="sm">Add all fields of</Text>
        {eventTypes.slice(0, MAX_BUTTONS).map((name) => (
          <Button
            key={name}
            size="compact-sm"
            variant="default"
            className="ph-mono"
            onClick={() => addFields(name)}
          >
            {name}
          </Button>
        ))}
      </Group>
      <CodeField
        label="Selection in GraphQL"
        description="Add the fields of an event type, and delete what the receiver does not need."
        placeholder={'{\n  ... on OrderPaid {\n    order {\n      id\n    }\n  }\n}'}
        value={value}
        error={problem ?? undefined}
        onChange={onChange}
      />
    </Stack>
  )
}
