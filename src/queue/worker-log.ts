import { isDatabaseUnavailable } from '../db/faults.ts'
import type { Logger } from '../telemetry/logger.ts'

/** How often the log repeats that Postgres is unavailable. */
const REPEAT_EVERY_MS = 60_000

export interface WorkerLog {
  /** Writes a log line of graphile-worker. */
  write(level: string, message: string, meta?: Record<string, unknown>): void
  unavailable(error: unknown): void
  available(): void
}

/** Writes graphile-worker's log lines to our log, and an outage of Postgres once a minute. */
export function createWorkerLog(logger: Logger): WorkerLog {
  let loggedAtMs: number | null = null

  function unavailable(error: unknown): void {
    const nowMs = performance.now()
    if (loggedAtMs !== null && nowMs - loggedAtMs < REPEAT_EVERY_MS) return
    loggedAtMs = nowMs
    logger.warn({ error }, 'Lost connection to Postgres; work is paused until it returns.')
  }

  return {
    unavailable,
    available() {
      if (loggedAtMs !== null) logger.info('Postgres is available again; work resumes.')
      loggedAtMs = null
    },
    write(level, message, meta = {}) {
      const error = errorIn(meta)
      if (level === 'error' && isDatabaseUnavailable(error)) unavailable(error)
      else if (level === 'error') logger.error({ error }, message)
      else if (level === 'warning' && !isAboutPoolSize(meta)) logger.warn({ worker: true }, message)
      else if (logger.isLevelEnabled('debug')) logger.debug({ worker: true }, message)
    },
  }
}

/** Most jobs wait for endpoints, so a few connections are enough. */
function isAboutPoolSize(meta: Record<string, unknown>): boolean {
  return 'max' in meta && 'concurrency' in meta
}

function errorIn({ error, fatalError }: Record<string, unknown>): unknown {
  const found = fatalError ?? error
  return found instanceof AggregateError ? found.errors[0] : found
}
