import { Badge, Group, SegmentedControl, Stack, Text } from '@mantine/core'
import { useFilters } from '../components/filters/use-filters.ts'
import { JsonBlock } from '../components/json/json-block.tsx'
import { type Column, List } from '../components/lists/list.tsx'
import { Section } from '../components/page/section.tsx'
import { t } from '../strings/t.ts'
import { type SchemaProperty, schemaProperties } from './schema-properties.ts'

const COLUMNS: readonly Column<SchemaProperty>[] = [
  {
    label: t('eventTypes:schemaView.property'),
    cell: ({ path, required }) => (
      <Group gap={6}>
        <span className="ph-mono">{path}</span>
        {required && (
          <Badge size="xs" variant="default" tt="none" radius="sm">
            {t('eventTypes:schemaView.required')}
          </Badge>
        )}
      </Group>
    ),
    width: '36%',
  },
  { label: t('eventTypes:schemaView.type'), cell: ({ type }) => type, width: '20%' },
  {
    label: t('eventTypes:schemaView.description'),
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
      <Section title={t('eventTypes:schemaView.title')}>
        <Text size="sm" c="dimmed">
          {t('eventTypes:schemaView.noSchema')}
        </Text>
      </Section>
    )
  }
  const properties = schemaProperties(schema)
  const raw = values.schema === 'raw'
  const actions = (
    <SegmentedControl
      size="xs"
      aria-label={t('eventTypes:schemaView.viewLabel')}
      data={[
        { value: 'table', label: t('eventTypes:schemaView.properties') },
        { value: 'raw', label: t('eventTypes:schemaView.jsonSchema') },
      ]}
      value={raw ? 'raw' : 'table'}
      onChange={(value) => set({ schema: value === 'raw' ? 'raw' : null })}
    />
  )
  if (raw) {
    return (
      <Section title={t('eventTypes:schemaView.title')} actions={actions}>
        <JsonBlock value={schema} label={t('eventTypes:schemaView.jsonLabel')} />
      </Section>
    )
  }
  if (properties.length === 0) {
    return (
      <Section title={t('eventTypes:schemaView.title')} actions={actions}>
        <Text size="sm" c="dimmed">
          {t('eventTypes:schemaView.noProperties')}
        </Text>
      </Section>
    )
  }
  return (
    <Section title={t('eventTypes:schemaView.title')} actions={actions}>
      <List
        label={t('eventTypes:schemaView.tableLabel')}
        columns={COLUMNS}
        rows={properties}
        keyOf={({ path }) => path}
        retry={() => {}}
        empty={null}
      />
    </Section>
  )
}
