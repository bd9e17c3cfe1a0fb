import { Alert, Text } from '@mantine/core'
import { useState } from 'react'
import type { EditConflict } from '../../api/use-action.ts'
import { Time } from '../time.tsx'

/** The revision that an edit form is based on, and the change that somebody else has made since. */
export function useEditConflict(revision: number) {
  const [base] = useState(revision)
  const [conflict, report] = useState<EditConflict | null>(null)
  return { ifRevision: conflict?.revision ?? base, conflict, report }
}

interface EditConflictsProps {
  readonly conflict: EditConflict | null | undefined
}

/** Who changed the object while the reader edited it. Saving again replaces what they changed. */
export function EditConflicts({ conflict }: EditConflictsProps) {
  if (!conflict) return null
  const { changedBy, changedAt } = conflict
  return (
    <Alert color="yellow" role="alert" title="Somebody else made changes">
      <Text size="sm">Nothing was saved yet. Save again to replace their changes by yours.</Text>
      <Text size="xs" c="dimmed">
        {changedBy ? `Changed by ${changedBy}` : 'Changed'} {changedAt && <Time at={changedAt} />}
      </Text>
    </Alert>
  )
}
