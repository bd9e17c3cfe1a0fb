import type { Unavailability } from '../db/faults.ts'
import type { Logger } from './logger.ts'

/** Writes one line when an outage of Postgres begins for the first reporter, and one when it has ended for the last. */
export interface OutageLines {
  begins(cause: Unavailability, error: OutageError, reporter?: string): void
  ends(cause: Unavailability, reporter?: string): void
  /** For a reporter that will not report the end. */
  forget(reporter: string): void
}

export interface OutageError {
  readonly code?: unknown
  readonly message: string
}

interface OutageText {
  readonly level: 'warn' | 'error'
  readonly begins: string
  /** Null: the end is not worth a line. */
  readonly ends: string | null
}

const AVAILABLE_AGAIN = 'Postgres is available again; work resumes.'

const TEXTS: Readonly<Record<Unavailability, OutageText>> = {
  unreachable: {
    level: 'warn',
    begins: 'Postgres is unavailable. Until it returns, requests get 503 and deliveries wait.',
    ends: AVAILABLE_AGAIN,
  },
  disk_full: {
    level: 'error',
    begins:
      'The disk of Postgres is full. Free space on the disk or enlarge it; Posthorn needs no restart. Until then, publishing gets 503, and the outcomes of attempts wait to be recorded.',
    ends: AVAILABLE_AGAIN,
  },
  contention: {
    level: 'warn',
    begins:
      'Postgres canceled a statement because of a lock, a deadlock or a timeout. Its request got 503; a worker repeats it.',
    ends: null,
  },
}

export function createOutageLines(logger: Logger): OutageLines {
  const reporters = new Map<Unavailability, Set<string>>()
  return {
    begins(cause, error, reporter = '') {
      const affected = reporters.get(cause)
      if (affected) {
        affected.add(reporter)
        return
      }
      reporters.set(cause, new Set([reporter]))
      const { level, begins } = TEXTS[cause]
      logger[level]({ event: 'postgres.unavailable', cause, error }, begins)
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
