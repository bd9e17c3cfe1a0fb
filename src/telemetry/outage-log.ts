import { unavailabilityOf } from '../db/faults.ts'
import { DomainError } from '../lib/errors.ts'
import type { OutageCause, OutageError, OutageLines } from './outage-lines.ts'

/** Reports each outage of Postgres once, with its end. */
export interface OutageLog {
  /**
   * Returns whether the error means that a statement cannot run for now. The first error of an outage begins it. While
   * Postgres is unreachable, statements that hang keep connections and locks, which is not reported besides.
   */
  report(error: unknown): boolean
  /** Call it whenever Postgres answers. Ends an outage that has caused no error for a while. */
  answered(): void
}

/** Postgres may answer some statements during an outage, so an outage ends after this time without an error. */
const ENDS_AFTER_MS: Readonly<Record<OutageCause, number>> = {
  unreachable: 10_000,
  // A publisher may try again only once in a while.
  disk_full: 60_000,
  contention: 10_000,
  time_limit: 10_000,
  pool_exhausted: 10_000,
}

interface Outage {
  lastErrorAtMs: number
}

/** `now` is a monotonic clock in milliseconds. Default: `performance.now`. */
export function createOutageLog(
  lines: Pick<OutageLines, 'begins' | 'ends'>,
  now = () => performance.now(),
): OutageLog {
  const outages = new Map<OutageCause, Outage>()
  return {
    report(error) {
      const kind = unavailabilityOf(error)
      if (kind === null) return false
      if (kind === 'stopping') return true
      const outage = outages.get(kind)
      if (outage) {
        outage.lastErrorAtMs = now()
        return true
      }
      if (outages.has('unreachable') && kind !== 'disk_full') return true
      outages.set(kind, { lastErrorAtMs: now() })
      lines.begins(kind, briefly(error))
      return true
    },
    answered() {
      for (const [kind, { lastErrorAtMs }] of outages) {
        if (now() - lastErrorAtMs < ENDS_AFTER_MS[kind]) continue
        outages.delete(kind)
        lines.ends(kind)
      }
    },
  }
}

/** Without the stack, which only shows where Posthorn happened to need Postgres. */
function briefly(error: unknown): OutageError {
  if (error instanceof DomainError) return briefly(error.cause)
  const { code, message } = (error ?? {}) as { code?: unknown; message?: string }
  // Prisma puts the reason into the last line. An error of several addresses has no message.
  const reason = message?.trim().split('\n').at(-1)
  return { ...(code !== undefined && { code }), message: reason || String(code) }
}
