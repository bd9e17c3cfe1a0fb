import type { Unavailability } from '../db/faults.ts'
import type { Logger } from './logger.ts'

/** Why statements of a process that is not stopping cannot run for now. */
export type OutageCause = Exclude<Unavailability, 'stopping'>

/** Writes one line when an outage of Postgres begins for the first reporter, and one when it has ended for the last. */
export interface OutageLines {
  begins(cause: OutageCause, error: OutageError, reporter?: string): void
  ends(cause: OutageCause, reporter?: string): void
  /** For a reporter that will not report the end. */
  forget(reporter: string): void
}

export interface OutageError {
  readonly code?: unknown
  readonly message: string
}

interface OutageText {
  readonly event: string
  readonly level: 'warn' | 'error'
  readonly begins: string
  /** Null: the end is not worth a line. */
  readonly ends: string | null
}

const UNAVAILABLE = 'postgres.unavailable'

const AVAILABLE_AGAIN = 'Postgres is available again; work resumes.'

const TEXTS: Readonly<Record<OutageCause, OutageText>> = {
  unreachable: {
    event: UNAVAILABLE,
    level: 'warn',
    begins: 'Postgres is unavailable. Until it returns, requests get 503 and deliveries wait.',
    ends: AVAILABLE_AGAIN,
  },
  disk_full: {
    event: UNAVAILABLE,
    level: 'error',
    begins:
      'The disk of Postgres is full. Free space on the disk or enlarge it; Posthorn needs no restart. Until then, publishing gets 503, and the outcomes of attempts wait to be recorded.',
    ends: AVAILABLE_AGAIN,
  },
  contention: {
    event: 'postgres.contention',
    level: 'warn',
    begins:
      'A statement was canceled because another session of Postgres holds a lock that it needs. Its request got 503; a worker repeats it.',
    ends: null,
  },
  time_limit: {
    event: 'postgres.time_limit',
    level: 'warn',
    begins:
      'A statement or a transaction was canceled because it took longer than it may. Its request got 503; a worker repeats it.',
    ends: null,
  },
  pool_exhausted: {
    event: 'pool.exhausted',
    level: 'warn',
    begins:
      'All connections of a pool of this process are busy, such as with long statements or with waiting for a lock. Requests that need one get 503; a worker repeats its statement.',
    ends: null,
  },
}

export function createOutageLines(logger: Logger): OutageLines {
  const reporters = new Map<OutageCause, Set<string>>()
  return {
    begins(cause, error, reporter = '') {
      const affected = reporters.get(cause)
      if (affected) {
        affected.add(reporter)
        return
      }
      reporters.set(cause, new Set([reporter]))
      const { event, level, begins } = TEXTS[cause]
      logger[level]({ event, cause, error }, begins)
    },
    ends(cause, reporter = '') {
      const affected = reporters.get(cause)
      if (!affected?.delete(reporter) || affected.size > 0) return
      reporters.delete(cause)
      const { ends } = TEXTS[cause]
      if (ends !== null) logger.info({ event: 'postgres.available', cause }, ends)
    },
    forget(reporter) {
      for (const [cause, affected] of reporters) {
        if (affected.delete(reporter) && affected.size === 0) reporters.delete(cause)
      }
    },
  }
}
