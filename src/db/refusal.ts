import pg from 'pg'
import { isDatabaseUnavailable } from './faults.ts'

/**
 * Whether an error is Postgres refusing what a statement asks for, not being away or too busy for it, so that for certain
 * nothing of it was done.
 */
export function isRefusal(error: unknown): boolean {
  return error instanceof pg.DatabaseError && !isDatabaseUnavailable(error)
}

/**
 * Whether an error says for certain that nothing of a statement was done: Postgres answered with it, or was not reached.
 * Where a connection broke, all of it may have been.
 */
export function nothingWasDone(error: unknown): boolean {
  const isNotReached = (error as { syscall?: unknown } | null)?.syscall === 'connect'
  return error instanceof pg.DatabaseError || isNotReached
}
