import { fieldIssue, invalid } from '../lib/errors.ts'

/** How a caller names an object: by its id, or by its uid. */
export interface GivenName {
  readonly id?: string | null | undefined
  readonly uid?: string | null | undefined
}

/** The given name. Throws `invalid` unless it is exactly one. */
export function exactlyOneName({ id, uid }: GivenName): { id: string } | { uid: string } {
  if (typeof id === 'string' && typeof uid !== 'string') return { id }
  if (typeof uid === 'string' && typeof id !== 'string') return { uid }
  const rule = 'or uid must be given: exactly one of the two.'
  throw invalid([fieldIssue(['id'], 'invalid_argument', rule)])
}
