import pg from 'pg'
import { isDatabaseUnavailable } from './faults.ts'

/**
 * Whether an error is Postgres refusing what a statement asks for, not being away or too busy for it, so that for certain
 * nothing of it was done.
 */
export function isRefusal(error: unknown): boolean {
  return error instanceof pg.DatabaseError && !isDatabaseUnavailable(error)
}
