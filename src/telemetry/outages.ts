import { type Unavailability, unavailabilityOf } from '../db/faults.ts'
import { DomainError } from '../lib/errors.ts'
import type { Logger } from './logger.ts'

/** Why statements of a process that is not stopping cannot run for now. */
type OutageCause = Exclude<Unavailability, 'stopping'>

interface Described {
  readonly event: string
  readonly level: 'warn' | 'error'
  readonly begins: string
  /** Null: the end is not worth a line. */
  readonly ends: string | null
  /** Postgres may answer some statements during an outage, so an outage ends after this time without an error. */
  readonly endsAfterMs: number
}

const UNAVAILABLE = 'postgres.unavailable'

const AVAILABLE_AGAIN = 'Postgres is available again; work resumes.'

const DESCRIBED: Readonly<Record<OutageCause, Described>> = {
  unreachable: {
    event: UNAVAILABLE,
    level: 'warn',
    begins: 'Postgres is unavailable. Until it returns, requests get 503 and deliveries wait.',
    ends: AVAILABLE_AGAIN,
    endsAfterMs: 10_000,
  },
  disk_full: {
    event: UNAVAILABLE,
    level: 'error',
    begins:
      'The disk of Postgres is full. Free space on the disk or enlarge it; Posthorn needs no restart. Until then, publishing gets 503, and the outcomes of attempts wait to be recorded.',
    ends: AVAILABLE_AGAIN,
    // A publisher may try again only once in a while.
    endsAfterMs: 60_000,
  },
  contention: {
    event: 'postgres.contention',
    level: 'warn',
    begins:
      'A statement was canceled because another session of Postgres holds a lock that it needs. Its request got 503; a worker repeats it.',
    ends: null,
    endsAfterMs: 10_000,
  },
  time_limit: {
    event: 'postgres.time_limit',
    level: 'warn',
    begins:
      'A statement or a transaction was canceled because it took longer than it may. Its request got 503; a worker repeats it.',
    ends: null,
    endsAfterMs: 10_000,
  },
  pool_exhausted: {
    event: 'pool.exhausted',
    level: 'warn',
    begins:
      'All connections of a pool of this process are busy, such as with long statements or with waiting for a lock. Requests that need one get 503; a worker repeats its statement.',
    ends: null,
    endsAfterMs: 10_000,
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
      const { event, level, begins } = DESCRIBED[cause]
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
        const { endsAfterMs, ends } = DESCRIBED[cause]
        if (now() - atMs < endsAfterMs) continue
        lastErrorAtMs.delete(cause)
        if (ends !== null) logger.info({ event: 'postgres.available', cause }, ends)
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
