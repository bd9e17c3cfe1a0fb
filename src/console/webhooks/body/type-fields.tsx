import { Checkbox, Group, Skeleton, Stack, Text, TextInput, UnstyledButton } from '@mantine/core'
import { IconChevronRight, IconSearch } from '@tabler/icons-react'
import { useMemo, useState } from 'react'
import { useRead } from '../../api/use-read.ts'
import { QueryError } from '../../components/query-error.tsx'
import { BodyFieldsDocument } from '../../generated/graphql.ts'
import { t } from '../../language/t.ts'
import { counted } from '../../lib/format.ts'
import {
  allOf,
  countChosen,
  countValues,
  isFound,
  shareOf,
  treeOf,
  withChosen,
} from './field-nodes.ts'
import { FieldTree } from './field-tree.tsx'
import type { Chosen } from './selection.ts'

interface TypeFieldsProps {
  readonly eventType: string
  /** Null: nothing of this type. */
  readonly chosen: Chosen | null
  readonly isOpenAtFirst: boolean
  onChange(chosen: Chosen | null): void
}

/** The fields of one event type, which are loaded when the reader opens them. */
export function TypeFields({ eventType, chosen, isOpenAtFirst, onChange }: TypeFieldsProps) {
  const [isOpen, setOpen] = useState(isOpenAtFirst)
  return (
    <Stack gap="xs" py="xs" className="ph-body-type">
      <UnstyledButton aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <Group gap={6} wrap="nowrap" justify="space-between">
          <Group gap={6} wrap="nowrap" miw={0}>
            <IconChevronRight size={14} className="ph-field-arrow" style={{ flex: 'none' }} />
            <Text size="sm" className="ph-mono">
              {eventType}
            </Text>
          </Group>
          <Text size="xs" c="dimmed" ta="end">
            {counted(chosen === null ? 0 : countChosen(chosen), 'field', 'fields')}
          </Text>
        </Group>
      </UnstyledButton>
      {isOpen && <Opened eventType={eventType} chosen={chosen} onChange={onChange} />}
    </Stack>
  )
}

/** Event types with more fields get a search field, and with many their objects are closed at first. */
const SEARCH_ABOVE = 8
const OPEN_UP_TO = 20

function Opened({ eventType, chosen, onChange }: Omit<TypeFieldsProps, 'isOpenAtFirst'>) {
  const [search, setSearch] = useState('')
  const { data, error, reload } = useRead(BodyFieldsDocument, { ids: [`type_${eventType}`] })
  const [node] = data?.nodes ?? []
  const fields = node?.__typename === 'EventType' ? node.selectableFields : null
  const known = useMemo(() => fields && treeOf(fields), [fields])
  if (error && !data) return <QueryError error={error} reload={reload} />
  if (!data) return <Skeleton height={80} />
  if (!known || known.fields.length === 0) {
    return (
      <Text size="sm" c="dimmed" ps={20}>
        This event type has no schema, so its fields cannot be chosen one by one.
      </Text>
    )
  }
  const tree = withChosen(known, chosen)
  const words = search.trim().toLowerCase()
  const count = countValues(tree)
  const isLong = count > OPEN_UP_TO
  const share = shareOf(tree, chosen)
  return (
    <Stack gap="xs" ps={20}>
      <Group gap="sm" justify="space-between">
        <Checkbox
          size="sm"
          label="All fields"
          checked={share === 'all'}
          indeterminate={share === 'some'}
          onChange={() => onChange(share === 'all' ? null : allOf(tree))}
        />
        {count > SEARCH_ABOVE && (
          <TextInput
            size="xs"
            aria-label={`Search fields of ${eventType}`}
            placeholder="Search fields"
            leftSection={<IconSearch size={14} />}
            value={search}
            onChange={(event) => setSearch(event.currentTarget.value)}
          />
        )}
      </Group>
      {tree.fields.some((field) => isFound(field, words)) ? (
        <div className={isLong ? 'ph-fields-scroll' : undefined}>
          <FieldTree
            // What is found is open.
            key={words === '' ? 'all' : 'found'}
            label={`Fields of ${eventType}`}
            node={tree}
            chosen={chosen}
            isOpen={words !== '' || !isLong}
            words={words}
            onChange={onChange}
          />
        </div>
      ) : (
        <Text size="sm" c="dimmed">
          {t('No match')}
        </Text>
      )}
    </Stack>
  )
}
