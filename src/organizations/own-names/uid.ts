import { z } from 'zod'
import type { Db } from '../../db/client.ts'
import { isTypeId } from '../../db/ids.ts'
import { type DomainError, fieldIssue, invalid } from '../../lib/errors.ts'

/** The rule of a uid, in the words of an API description. */
export const UID_RULE =
  '1 to 255 characters, without control characters and without white space at the start or end, and not spelled like an id (`wh_…`)'

/**
 * The name of an organization or webhook that its owner chooses. It is told from an id by its spelling. It can be the
 * value of an HTTP header, so it has no control characters and no white space at its ends.
 */
export const uidRule = z
  .string('must be a string')
  .min(1, 'must have at least 1 character')
  .max(255, 'must have at most 255 characters')
  .refine((text) => !/\p{Cc}/u.test(text), 'must not contain control characters')
  .refine((text) => text.trim() === text, 'must not begin or end with white space')
  .refine(
    (text) => !isTypeId(text),
    'must not be spelled like an id, letters and an underscore before 26 characters; begin it with another character than a letter, or use a hyphen',
  )

/** Locks a uid until the transaction ends, so that of concurrent callers that give it, one comes first. */
export async function lockUid(tx: Db, scope: string, uid: string): Promise<void> {
  const name = JSON.stringify(['uid', scope, uid])
  await tx.$queryRaw`select pg_advisory_xact_lock(hashtextextended(${name}, 0))::text`
}

/** The error for a uid that another object has. */
export function uidTaken(uid: string, holder: string): DomainError {
  const rule = `is ${JSON.stringify(uid)}, which ${holder} has. Choose another, or change that one.`
  return invalid([fieldIssue(['uid'], 'uid_taken', rule)])
}

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
