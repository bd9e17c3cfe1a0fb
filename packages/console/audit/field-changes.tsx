import { Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { ChangedValue } from '../components/difference/changed-value.tsx'
import { textOf } from '../lib/json-schema.ts'
import { maskUrl } from '../lib/mask-url.ts'
import { compareFields, type FieldChange } from './compare-fields.ts'
import { TextChange } from './text-change.tsx'

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
      {TEXTS.includes(field) ? (
        <TextChange label={field} before={textOf(before) ?? ''} after={textOf(after) ?? ''} />
      ) : (
        <>
          {before !== undefined && <ChangedValue isBefore>{shown(field, before)}</ChangedValue>}
          {after !== undefined && <ChangedValue>{shown(field, after)}</ChangedValue>}
        </>
      )}
    </Stack>
  )
}

/** The fields with texts of several lines. */
const TEXTS = ['selection', 'template']

/** The value, of a URL without what may be a credential. */
function shown(field: string, value: unknown): ReactNode {
  return field === 'url' && typeof value === 'string' ? maskUrl(value) : formatValue(value)
}

function formatValue(value: unknown): string {
  if (typeof value === 'string') return value === '' ? '(empty)' : value
  if (value === null) return '(none)'
  if (Array.isArray(value) && value.every((entry) => typeof entry !== 'object')) {
    return value.length === 0 ? '(none)' : value.join('\n')
  }
  return JSON.stringify(value, null, 2)
}
