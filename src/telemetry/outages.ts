import { type Unavailability, unavailabilityOf } from '../db/faults.ts'
import { DomainError } from '../lib/errors.ts'
import type { Logger } from './logger.ts'

/** Why statements of a process that is not stopping cannot run for now. */
type OutageCause = Exclude<Unavailability, 'stopping'>

const UNAVAILABLE = 'postgres.unavailable'

interface Described {
  readonly begins: string
  /** Default: `postgres.unavailable`, and its end is worth a line, too. */
  readonly event?: string
  /** Postgres may answer some statements during an outage, so it ends after this time without an error. Default: 10 s. */
  readonly endsAfterMs?: number
}

const DESCRIBED: Readonly<Record<OutageCause, Described>> = {
  unreachable: {
    begins: 'Postgres is unavailable. Until it returns, requests get 503 and deliveries wait.',
  },
  disk_full: {
    begins:
      'The disk of Postgres is full. Free space on the disk or enlarge it; Posthorn needs no restart. Until then, publishing gets 503, and the outcomes of attempts wait to be recorded.',
    // A publisher may try again only once in a while.
    endsAfterMs: 60_000,
  },
  contention: {
    event: 'postgres.contention',
    begins:
      'A statement was canceled because another session of Postgres holds a lock that it needs. Its request got 503; a worker repeats it.',
  },
  time_limit: {
    event: 'postgres.time_limit',
    begins:
      'A statement or a transaction was canceled because it took longer than it may. Its request got 503; a worker repeats it.',
  },
  pool_exhausted: {
    event: 'pool.exhausted',
    begins:
      'All connections of a pool of this process are busy, such as with long statements or with waiting for a lock. Requests that need one get 503; a worker repeats its statement.',
  },
}

/** Logs each outage of Postgres that a thread notices in one line, and its end in another. */
export interface OutageLog {
  /**
   * Returns whether the error means that a statement cannot run for now. The first error of an outage begins it. While
   * Postgres is unreachable, statements that hang keep connections and locks, which is not reported besides.
   */
  report(error: unknown): boolean
  /** Handles an error of what is tried again: one of an outage is reported, any other is logged with this message. */
  warnOf(message: string): (error: unknown) => void
  /** Call it whenever Postgres answers. Ends an outage that has caused no error for a while. */
  answered(): void
}

/** `onFailure` is called for each error of an outage. `now` is a monotonic clock in milliseconds. */
export function createOutageLog(
  logger: Logger,
  onFailure: (cause: OutageCause) => void = () => {},
  now = () => performance.now(),
): OutageLog {
  const lastErrorAtMs = new Map<OutageCause, number>()

  function report(error: unknown): boolean {
    const cause = unavailabilityOf(error)
    if (cause === null) return false
    if (cause === 'stopping') return true
    onFailure(cause)
    const isNew = !lastErrorAtMs.has(cause)
    if (isNew && lastErrorAtMs.has('unreachable') && cause !== 'disk_full') return true
    lastErrorAtMs.set(cause, now())
    if (isNew) {
      const { event = UNAVAILABLE, begins } = DESCRIBED[cause]
      const level = cause === 'disk_full' ? 'error' : 'warn'
      logger[level]({ event, cause, error: briefly(error) }, begins)
    }
    return true
  }

  return {
    report,
    warnOf: (message) => (error) => {
      if (!report(error)) logger.warn({ error }, message)
    },
    answered() {
      for (const [cause, atMs] of lastErrorAtMs) {
        const { endsAfterMs = 10_000, event } = DESCRIBED[cause]
        if (now() - atMs < endsAfterMs) continue
        lastErrorAtMs.delete(cause)
        if (event !== undefined) continue
        const line = { event: 'postgres.available', cause }
        logger.info(line, 'Postgres is available again; work resumes.')
      }
    },
  }
}

/** Without the stack, which only shows where Posthorn happened to need Postgres. */
function briefly(error: unknown): { readonly code?: unknown; readonly message: string } {
  if (error instanceof DomainError) return briefly(error.cause)
  const { code, message } = (error ?? {}) as { code?: unknown; message?: string }
  // Prisma puts the reason into the last line. An error of several addresses has no message.
  const reason = message?.trim().split('\n').at(-1)
  return { ...(code !== undefined && { code }), message: reason || String(code) }
}
