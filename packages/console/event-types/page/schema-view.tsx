import { Badge, Group, SegmentedControl, Stack, Text } from '@mantine/core'
import { useFilters } from '../../components/filters/use-filters.ts'
import { JsonView } from '../../components/json/json-view.tsx'
import { type Column, List } from '../../components/lists/list.tsx'
import { Section } from '../../components/page/section.tsx'
import { t } from '../../language/t.ts'
import { type SchemaProperty, schemaProperties } from './schema-properties.ts'

const COLUMNS: readonly Column<SchemaProperty>[] = [
  {
    label: 'Property',
    cell: ({ path, required }) => (
      <Group gap={6}>
        <span className="ph-mono">{path}</span>
        {required && (
          <Badge size="xs" variant="default" tt="none" radius="sm">
            required
          </Badge>
        )}
      </Group>
    ),
    width: '36%',
  },
  { label: 'Type', cell: ({ type }) => type, width: '20%' },
  {
    label: t('Description'),
    cell: ({ description, rules }) => (
      <Stack gap={2} style={{ overflowWrap: 'anywhere' }}>
        {description}
        {rules.length > 0 && (
          <Text size="xs" c="dimmed">
            {rules.join(' · ')}
          </Text>
        )}
        {!description && rules.length === 0 && <Text c="dimmed">–</Text>}
      </Stack>
    ),
  },
]

/** A JSON Schema, as a table of its properties or as raw JSON. */
export function SchemaView({ schema }: { schema: unknown }) {
  const { values, set } = useFilters(['schema'])
  if (schema === null || schema === undefined) {
    return (
      <Section title="Schema">
        <Text size="sm" c="dimmed">
          No schema: the data of an event of this type can be any JSON.
        </Text>
      </Section>
    )
  }
  const properties = schemaProperties(schema)
  const raw = values.schema === 'raw'
  const actions = (
    <SegmentedControl
      size="xs"
      aria-label="View of the schema"
      data={[
        { value: 'table', label: 'Properties' },
        { value: 'raw', label: 'JSON Schema' },
      ]}
      value={raw ? 'raw' : 'table'}
      onChange={(value) => set({ schema: value === 'raw' ? 'raw' : null })}
    />
  )
  if (raw) {
    return (
      <Section title="Schema" actions={actions}>
        <JsonView text={JSON.stringify(schema)} label="Schema" />
      </Section>
    )
  }
  if (properties.length === 0) {
    return (
      <Section title="Schema" actions={actions}>
        <Text size="sm" c="dimmed">
          The schema names no properties. See the JSON Schema.
        </Text>
      </Section>
    )
  }
  return (
    <Section title="Schema" actions={actions}>
      <List
        label="Schema properties"
        columns={COLUMNS}
        rows={properties}
        keyOf={({ path }) => path}
        reload={() => {}}
        empty={null}
      />
    </Section>
  )
}
