import pg from 'pg'
import { isDatabaseUnavailable } from './faults.ts'

/**
 * Whether Postgres rejected a statement, such as for a constraint, so that it certainly had no effect. Errors that mean
 * that Postgres is unavailable do not count.
 */
export function isRejection(error: unknown): boolean {
  return error instanceof pg.DatabaseError && !isDatabaseUnavailable(error)
}

/**
 * Whether a statement certainly had no effect: Postgres answered with an error, or could not be reached. After a broken
 * connection the statement may have committed; so may it after an error that ends the session, which can arrive just
 * after the commit.
 */
export function hadNoEffect(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return !ENDS_SESSION.test(error.code ?? '')
  const { syscall, message } = (error ?? {}) as { syscall?: unknown; message?: unknown }
  return syscall === 'connect' || syscall === 'getaddrinfo' || NO_CONNECTION.test(String(message))
}

/** https://www.postgresql.org/docs/current/errcodes-appendix.html */
const ENDS_SESSION = /^57P0[1245]$/

/** Errors of `pg` without a code: no free connection in time, and a connect that took too long. */
const NO_CONNECTION = /timeout exceeded when trying to connect|due to connection timeout/
