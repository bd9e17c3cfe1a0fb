import type { EditConflict } from '../client/posthorn-error.ts'
import { formValueOf, type WebhookValues } from './webhook-values.ts'

/** A field that somebody else changed while the user edited it. */
export interface WebhookConflict {
  readonly name: keyof WebhookValues
  /** The saved value, in place of the one in `values`. */
  readonly theirs: WebhookValues[keyof WebhookValues]
  /** Null if Posthorn no longer knows. */
  readonly changedAt: string | null
  /** Null if the session may not know. */
  readonly changedBy: string | null
}

export function conflictsOf(conflict: EditConflict | null): WebhookConflict[] {
  return (conflict?.fields ?? []).map(({ current, ...field }) => {
    const name = field.name as keyof WebhookValues
    return { ...field, name, theirs: formValueOf(name, current) }
  })
}
