import { Box, Group, Stack, Text } from '@mantine/core'
import { IconMinus, IconPlus } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { maskUrl } from '../lib/mask-url.ts'
import { compareFields, type FieldChange } from './compare-fields.ts'
import { FilterInWords } from './filter-in-words.tsx'

export function FieldChanges({ before, after }: { before: unknown; after: unknown }) {
  const changes = compareFields(before, after)
  // An action such as a redelivery changes no field.
  if (changes.length === 0) return null
  return (
    <Stack gap="md" component="section" aria-label="Changed fields">
      {changes.map((change) => (
        <Change key={change.field} change={change} />
      ))}
    </Stack>
  )
}

function Change({ change: { field, before, after } }: { change: FieldChange }) {
  return (
    <Stack gap={4}>
      <Text size="sm" fw={600} className="ph-mono">
        {field}
      </Text>
      {before !== undefined && <Value isBefore>{shown(field, before)}</Value>}
      {after !== undefined && <Value>{shown(field, after)}</Value>}
    </Stack>
  )
}

/** The value, of a URL without what may be a credential, and of a filter in words. */
function shown(field: string, value: unknown): ReactNode {
  if (typeof value !== 'string') return formatValue(value)
  if (field === 'url') return maskUrl(value)
  return field === 'filter' ? <FilterInWords text={value} /> : formatValue(value)
}

interface ValueProps {
  readonly isBefore?: boolean
  readonly children: ReactNode
}

function Value({ children, isBefore = false }: ValueProps) {
  const color = isBefore ? 'red' : 'green'
  const Icon = isBefore ? IconMinus : IconPlus
  return (
    <Group
      gap={8}
      wrap="nowrap"
      align="start"
      px="sm"
      py={6}
      bg={`var(--mantine-color-${color}-light)`}
      style={{ borderRadius: 'var(--mantine-radius-sm)' }}
    >
      <Box
        role="img"
        aria-label={isBefore ? 'Before' : 'After'}
        c={`var(--posthorn-on-${color})`}
        lh={1}
        pt={4}
      >
        <Icon size={14} />
      </Box>
      <Text size="sm" className="ph-mono" style={{ whiteSpace: 'pre-wrap' }}>
        {children}
      </Text>
    </Group>
  )
}

function formatValue(value: unknown): string {
  if (typeof value === 'string') return value === '' ? '(empty)' : value
  if (value === null) return '(none)'
  if (Array.isArray(value) && value.every((entry) => typeof entry !== 'object')) {
    return value.length === 0 ? '(none)' : value.join('\n')
  }
  return JSON.stringify(value, null, 2)
}
