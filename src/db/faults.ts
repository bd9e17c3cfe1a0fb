import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { DomainError } from '../lib/errors.ts'
import { NO_FREE_CONNECTION } from './pools.ts'

/**
 * Whether an error means that a statement cannot run for now, so that the same call may succeed later. After an error
 * code, the statement had no effect; after a broken connection, the whole statement may have run.
 * https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
export function isDatabaseUnavailable(error: unknown): boolean {
  return unavailabilityOf(error) !== null
}

/**
 * Why a statement cannot run for now: Postgres cannot be reached or is overloaded, its disk is full, another session is in
 * the way, a time limit has passed, all connections of this process are busy, or this process is stopping. Only the first
 * two are outages.
 */
export type Unavailability =
  | 'unreachable'
  | 'disk_full'
  | 'contention'
  | 'time_limit'
  | 'pool_exhausted'
  | 'stopping'

/** Null: the error has another cause, and would come again. */
export function unavailabilityOf(error: unknown): Unavailability | null {
  for (const cause of causesOf(error)) {
    const message = String(cause['message'] ?? '')
    if (message === NO_FREE_CONNECTION) return 'pool_exhausted'
    if (message.startsWith('Cannot use a pool after')) return 'stopping'
    const codes = codesOf(cause)
    if (codes.includes(DISK_FULL)) return 'disk_full'
    if (codes.some((code) => CONTENTION_CODE.test(code))) return 'contention'
    if (codes.some((code) => TIME_LIMIT_CODE.test(code))) return 'time_limit'
    if (codes.some((code) => UNREACHABLE_CODE.test(code))) return 'unreachable'
    const adapter = JSON.stringify(cause['meta'] ?? '')
    if (UNREACHABLE_TEXT.test(`${message} ${adapter}`)) return 'unreachable'
  }
  return null
}

/** Whether Postgres rejected a text because of the NUL character, which it has in no text (22021) and no jsonb (22P05). */
export function isNulRejected(error: unknown): boolean {
  return causesOf(error).some((cause) => codesOf(cause).some((code) => /^22(021|P05)$/.test(code)))
}

function causesOf(error: unknown): Record<string, unknown>[] {
  const causes: Record<string, unknown>[] = []
  for (let cause = error; cause instanceof Object && causes.length < 5; cause = inner(cause)) {
    causes.push(cause as Record<string, unknown>)
  }
  return causes
}

const codesOf = (error: Record<string, unknown>) =>
  [error['code'], error['originalCode']].map((code) => String(code ?? ''))

/** Prisma's error holds the error of its adapter in `meta`, which holds the error of Postgres. */
function inner(error: { readonly cause?: unknown; readonly meta?: unknown }): unknown {
  const { cause, meta } = error
  return cause ?? Object(meta).driverAdapterError
}

const DISK_FULL = '53100'

/** Lock timeouts (55P03), serialization failures and deadlocks (40001, 40P01), and Prisma's write conflict (P2034). */
const CONTENTION_CODE = /^(55P03|40001|40P01|P2034)$/

/** Canceled statements (57014), ended transactions (25P03, 25P04), and Prisma's transaction that took too long (P2028). */
const TIME_LIMIT_CODE = /^(57014|25P0[34]|P2028)$/

/**
 * Postgres: connection errors (08), insufficient resources (53), shutdown or startup (57P0x), a read-only standby (25006),
 * I/O errors (58030). Node: socket errors. Prisma: connection errors (P1xxx).
 */
const UNREACHABLE_CODE =
  /^(08...|53...|57P0[1-5]|25006|58030|ECONNREFUSED|ECONNRESET|ECONNABORTED|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|P1001|P1002|P1008|P1017)$/

/** Errors of `pg` and of Prisma's adapter that have no code, and a missing socket file. */
const UNREACHABLE_TEXT =
  /connect ENOENT|Connection terminated|The connection ended|timeout expired|Client was closed and is not queryable|Client has encountered a connection error|DatabaseNotReachable|ConnectionClosed|TooManyConnections/i

/**
 * Whether Postgres rejected a statement, such as for a constraint, so that it certainly had no effect. Errors that mean
 * that Postgres is unavailable do not count.
 */
export function isRejection(error: unknown): boolean {
  return error instanceof pg.DatabaseError && !isDatabaseUnavailable(error)
}

/** What a caller gets for an error that means that a statement cannot run for now. */
export function unavailable(cause: unknown): DomainError {
  const what = UNAVAILABLE[unavailabilityOf(cause) ?? 'unreachable']
  return new DomainError('unavailable', `${what} ${RETRY}`, { cause })
}

/** If the connection broke during a statement, the statement may have committed; hence the idempotency key. */
const RETRY = 'Retry shortly, with the same idempotency key if you sent one.'

export const UNAVAILABLE: Readonly<Record<Unavailability, string>> = {
  unreachable: 'The database is unreachable.',
  disk_full: 'The database has no disk space left.',
  contention:
    'Another session of the database has locked what the request needs, for example for a migration.',
  time_limit: 'The request took longer in the database than it may.',
  pool_exhausted:
    'Posthorn has too many requests in progress: all its connections to the database are busy.',
  stopping: 'This process is shutting down.',
}

interface RetryOptions {
  /** Once it is aborted, `run` is not repeated. Default: never. */
  readonly signal?: AbortSignal
  /** Called with each error. Default: nothing. */
  readonly onUnavailable?: (error: unknown) => void
}

const RETRY_DELAY_MS = 250

/** Repeats `run` until Postgres is available. `run` must be idempotent. */
export async function retryWhileUnavailable<Result>(
  run: () => Promise<Result>,
  { signal, onUnavailable = () => {} }: RetryOptions = {},
): Promise<Result> {
  for (;;) {
    try {
      return await run()
    } catch (error) {
      if (signal?.aborted || !isDatabaseUnavailable(error)) throw error
      onUnavailable(error)
    }
    await sleep(RETRY_DELAY_MS, undefined, { signal }).catch(() => {})
  }
}
