import { type Unavailability, unavailabilityOf } from '../db/faults.ts'
import { DomainError } from '../lib/errors.ts'
import type { Logger } from './logger.ts'

/** Logs each outage of Postgres once, with its end. The API and the worker of a process share it. */
export interface OutageLog {
  /**
   * Returns whether the error means that Postgres is unavailable. Logs the error then, unless it belongs to an outage
   * that is already in the log.
   */
  report(error: unknown): boolean
  /** Call it whenever Postgres answers. Logs the end of an outage that has caused no error for a while. */
  answered(): void
}

interface OutageText {
  readonly level: 'warn' | 'error'
  readonly begins: string
  /** Postgres may answer some statements during an outage, so the outage ends after this time without an error. */
  readonly endsAfterMs: number
  /** Null: the end is not worth a line. */
  readonly ends: string | null
}

const AVAILABLE_AGAIN = 'Postgres is available again; work resumes.'

const TEXTS: Readonly<Record<Unavailability, OutageText>> = {
  unreachable: {
    level: 'warn',
    begins: 'Postgres is unavailable. Until it returns, requests get 503 and deliveries wait.',
    endsAfterMs: 10_000,
    ends: AVAILABLE_AGAIN,
  },
  disk_full: {
    level: 'error',
    begins:
      'The disk of Postgres is full. Free space on the disk or enlarge it; Posthorn needs no restart. Until then, publishing gets 503, and the outcomes of attempts wait to be recorded.',
    // A publisher may try again only once in a while.
    endsAfterMs: 60_000,
    ends: AVAILABLE_AGAIN,
  },
  contention: {
    level: 'warn',
    begins:
      'Postgres canceled a statement because of a lock, a deadlock or a timeout. Its request got 503; a worker repeats it.',
    endsAfterMs: 10_000,
    ends: null,
  },
}

interface Outage {
  lastErrorAtMs: number
}

/** `now` is a monotonic clock in milliseconds. Default: `performance.now`. */
export function createOutageLog(logger: Logger, now = () => performance.now()): OutageLog {
  const outages = new Map<Unavailability, Outage>()
  return {
    report(error) {
      const kind = unavailabilityOf(error)
      if (kind === null) return false
      const outage = outages.get(kind)
      if (outage) {
        outage.lastErrorAtMs = now()
        return true
      }
      outages.set(kind, { lastErrorAtMs: now() })
      const { level, begins } = TEXTS[kind]
      logger[level]({ event: 'postgres.unavailable', cause: kind, error: briefly(error) }, begins)
      return true
    },
    answered() {
      for (const [kind, { lastErrorAtMs }] of outages) {
        const { endsAfterMs, ends } = TEXTS[kind]
        if (now() - lastErrorAtMs < endsAfterMs) continue
        outages.delete(kind)
        if (ends !== null) logger.info({ event: 'postgres.available', cause: kind }, ends)
      }
    },
  }
}

/** Without the stack, which only shows where Posthorn happened to need Postgres. */
function briefly(error: unknown): { code?: unknown; message: string } {
  if (error instanceof DomainError) return briefly(error.cause)
  const { code, message } = (error ?? {}) as { code?: unknown; message?: string }
  // Prisma puts the reason into the last line. An error of several addresses has no message.
  const reason = message?.trim().split('\n').at(-1)
  return { ...(code !== undefined && { code }), message: reason || String(code) }
}
