import { DomainError } from '../lib/errors.ts'
import { type Unavailability, unavailabilityOf } from './faults.ts'

/** What a caller gets for an error that means that a statement cannot run for now. */
export function unavailable(cause: unknown): DomainError {
  const detail = UNAVAILABLE_DETAILS[unavailabilityOf(cause) ?? 'unreachable']
  return new DomainError('unavailable', detail, { cause })
}

/** If the connection broke during a statement, the statement may have committed; hence the idempotency key. */
const RETRY = 'Retry shortly, with the same idempotency key if you sent one.'

export const UNAVAILABLE_DETAILS: Readonly<Record<Unavailability, string>> = {
  unreachable: `The database is unreachable. ${RETRY}`,
  disk_full: `The database has no disk space left. ${RETRY}`,
  contention: `Another session of the database has locked what the request needs, for example for a migration. ${RETRY}`,
  time_limit: `The request took longer in the database than it may. ${RETRY}`,
  pool_exhausted: `Posthorn has too many requests in progress: all its connections to the database are busy. ${RETRY}`,
  stopping: `This process is shutting down. ${RETRY}`,
}
