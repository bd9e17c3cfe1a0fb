import { Alert, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import type { EditConflict } from '../../api/use-action.ts'
import { t } from '../../language/t.ts'
import { Time } from '../time.tsx'

/** The revision that an edit form is based on, and the fields that somebody else has changed since. */
export function useEditConflict(revision: number) {
  const [base] = useState(revision)
  const [conflict, report] = useState<EditConflict | null>(null)
  return { ifRevision: conflict?.revision ?? base, conflict, report }
}

interface EditConflictsProps {
  readonly conflict: EditConflict | null | undefined
  /** The labels of the fields by their names. */
  readonly labels?: Readonly<Record<string, string>>
}

/** The values of each field that somebody else changed while the reader edited it. Saving again replaces them. */
export function EditConflicts({ conflict, labels = {} }: EditConflictsProps) {
  if (!conflict) return null
  return (
    <Alert
      color="yellow"
      variant="light"
      role="alert"
      title="Somebody else changed the same fields"
    >
      <Stack gap="sm">
        <Text size="sm">Nothing was saved yet. Save again to replace these values by yours.</Text>
        {conflict.fields.map(({ name, current, changedBy, changedAt }) => (
          <Stack key={name} gap={2} component="section" aria-label={labels[name] ?? name}>
            <Text size="sm" fw={600}>
              {labels[name] ?? name}
            </Text>
            <Text
              size="sm"
              className="ph-mono"
              mah={240}
              tabIndex={0}
              style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere', overflow: 'auto' }}
            >
              {textOf(current)}
            </Text>
            <Text size="xs" c="dimmed">
              {changedBy ? `Changed by ${changedBy}` : 'Changed'}{' '}
              {changedAt && <Time at={changedAt} />}
            </Text>
          </Stack>
        ))}
      </Stack>
    </Alert>
  )
}

function textOf(value: unknown): string {
  if (value === null || value === undefined || value === '') return t('None')
  if (typeof value === 'boolean') return value ? 'On' : 'Off'
  if (typeof value !== 'object') return String(value)
  const isList = Array.isArray(value) && value.every((entry) => typeof entry !== 'object')
  return isList ? value.join('\n') || t('None') : JSON.stringify(value, null, 2)
}
