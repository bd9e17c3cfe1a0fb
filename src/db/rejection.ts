import pg from 'pg'
import { isDatabaseUnavailable } from './faults.ts'

/**
 * Whether Postgres rejected a statement, such as for a constraint, so that it certainly had no effect. Errors that mean
 * that Postgres is unavailable do not count.
 */
export function isRejection(error: unknown): boolean {
  return error instanceof pg.DatabaseError && !isDatabaseUnavailable(error)
}
