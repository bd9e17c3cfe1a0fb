import pg from 'pg'
import { isDatabaseUnavailable } from './faults.ts'

/**
 * Whether an error is Postgres refusing what a statement asks for, not being away or too busy for it, so that for certain
 * nothing of it was done.
 */
export function isRejection(error: unknown): boolean {
  return error instanceof pg.DatabaseError && !isDatabaseUnavailable(error)
}

/**
 * Whether an error says for certain that nothing of a statement was done: Postgres answered with it, or was not reached.
 * Where a connection broke, all of it may have been; also where Postgres said that it ends the session, which may come
 * just after the commit.
 */
export function nothingWasDone(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return !ENDS_SESSION.test(error.code ?? '')
  const { syscall, message } = (error ?? {}) as { syscall?: unknown; message?: unknown }
  return syscall === 'connect' || syscall === 'getaddrinfo' || NO_CONNECTION.test(String(message))
}

/** https://www.postgresql.org/docs/current/errcodes-appendix.html */
const ENDS_SESSION = /^57P0[1245]$/

/** What `pg` says where there was no connection in time, and where a new one took too long. */
const NO_CONNECTION = /timeout exceeded when trying to connect|due to connection timeout/
