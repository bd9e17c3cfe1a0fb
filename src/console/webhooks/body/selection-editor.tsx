import { Button, Group, SegmentedControl, Stack, Text, TextInput } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'
import { useMemo, useState } from 'react'
import { useRead } from '../../api/use-read.ts'
import { CodeField } from '../../components/forms/code-field.tsx'
import { BodyTypesDocument } from '../../generated/graphql.ts'
import { t } from '../../language/t.ts'
import { type Chosen, NOTHING, printSelection, readSelection, withPart } from './selection.ts'
import { TypeFields } from './type-fields.tsx'

interface SelectionEditorProps {
  readonly value: string
  readonly eventTypes: readonly string[]
  /** What is wrong with the text. */
  readonly problem: string | null
  onChange(text: string): void
}

/** A selection as a tree of fields or as GraphQL. */
export function SelectionEditor({ value, eventTypes, problem, onChange }: SelectionEditorProps) {
  const chosen = useMemo(() => forTree(value), [value])
  const [isText, setText] = useState(() => chosen === null)
  return (
    <Stack gap="md">
      <SegmentedControl
        size="xs"
        style={{ alignSelf: 'start' }}
        aria-label="Form of the selection"
        data={[
          { value: 'tree', label: 'Fields', disabled: isText && chosen === null },
          { value: 'text', label: 'GraphQL' },
        ]}
        value={isText ? 'text' : 'tree'}
        onChange={(form) => setText(form === 'text')}
      />
      {isText || chosen === null ? (
        <>
          {chosen === null && (
            <Text size="sm">
              The list of fields shows names of fields only. This text has more, such as an alias or
              a fragment, or is not complete, so it stays text.
            </Text>
          )}
          <CodeField
            label="Selection in GraphQL"
            placeholder={'{\n  ... on OrderPaid {\n    order {\n      id\n    }\n  }\n}'}
            value={value}
            error={problem ?? undefined}
            onChange={onChange}
          />
        </>
      ) : (
        <>
          <TypeList
            chosen={chosen}
            eventTypes={eventTypes}
            onChange={(next) => onChange(printSelection(next))}
          />
          {problem !== null && (
            <Text size="sm" c="var(--mantine-color-error)" role="alert">
              {problem}
            </Text>
          )}
        </>
      )}
    </Stack>
  )
}

/** What the tree can show: fields of event types. Fields of every event stay text. */
function forTree(text: string): Chosen | null {
  const chosen = readSelection(text)
  return chosen !== null && chosen.fields.size === 0 ? chosen : null
}

interface TypeListProps {
  readonly chosen: Chosen
  readonly eventTypes: readonly string[]
  onChange(chosen: Chosen): void
}

/** So many event types are open at first, and with more there is a search field. */
const OPEN_UP_TO = 2
const SEARCH_ABOVE = 8

function TypeList({ chosen, eventTypes, onChange }: TypeListProps) {
  const { data } = useRead(BodyTypesDocument, {})
  const [search, setSearch] = useState('')
  const graphqlTypes = useMemo(
    () => new Map(data?.eventTypes.map(({ name, graphqlType }) => [name, graphqlType])),
    [data],
  )
  const named = eventTypes.flatMap((name) => {
    const type = graphqlTypes.get(name)
    return type === undefined ? [] : [{ name, type }]
  })
  const order = named.map(({ type }) => type)
  const others = data ? [...chosen.members.keys()].filter((type) => !order.includes(type)) : []
  const words = search.trim().toLowerCase()
  const set = (type: string, part: Chosen | null) =>
    onChange(withPart(chosen, 'members', type, part, order) ?? NOTHING)
  return (
    <div>
      {named.length > SEARCH_ABOVE && (
        <TextInput
          size="xs"
          mb="xs"
          aria-label={t('Search event types')}
          placeholder={t('Search event types')}
          leftSection={<IconSearch size={14} />}
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
        />
      )}
      {named
        .filter(({ name }) => name.toLowerCase().includes(words))
        .map(({ name, type }) => (
          <TypeFields
            key={name}
            eventType={name}
            chosen={chosen.members.get(type) ?? null}
            isOpenAtFirst={named.length <= OPEN_UP_TO}
            onChange={(part) => set(type, part)}
          />
        ))}
      {others.map((type) => (
        <Group key={type} py="xs" gap="sm" justify="space-between" className="ph-body-type">
          <Text size="sm">
            {`Fields of ${type}, which is no event type that this webhook receives.`}
          </Text>
          <Button size="compact-xs" variant="default" onClick={() => set(type, null)}>
            Remove
          </Button>
        </Group>
      ))}
    </div>
  )
}
