import { useState } from 'react'
import type { EditConflict } from '../../api/use-action.ts'

/**
 * The revision that an edit form is based on, and the fields that somebody else has changed since. Once each of them is
 * decided, the form is based on the revision that has their changes.
 */
export function useEditConflict(revision: number) {
  const [base, setBase] = useState(revision)
  const [conflict, setConflict] = useState<EditConflict | null>(null)

  function decide(name: string) {
    const fields = conflict?.fields.filter((field) => field.name !== name) ?? []
    if (!conflict || fields.length > 0) return setConflict(conflict && { ...conflict, fields })
    setBase(conflict.revision)
    setConflict(null)
  }

  return { ifRevision: base, conflict, report: setConflict, decide }
}
