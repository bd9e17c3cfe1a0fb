import { isDatabaseUnavailable } from '../db/faults.ts'
import type { Logger } from '../telemetry/logger.ts'

/** While Postgres stays unavailable, it is said this often. */
const REPEAT_EVERY_MS = 60_000

export interface WorkerLog {
  /** For the lines of graphile-worker. */
  write(level: string, message: string, meta?: Record<string, unknown>): void
  unavailable(error: unknown): void
  available(): void
}

/** Brings the lines of graphile-worker into our log, and says seldom that Postgres is unavailable. */
export function createWorkerLog(logger: Logger): WorkerLog {
  let saidAtMs: number | null = null

  function unavailable(error: unknown): void {
    const nowMs = performance.now()
    if (saidAtMs !== null && nowMs - saidAtMs < REPEAT_EVERY_MS) return
    saidAtMs = nowMs
    logger.warn({ error }, 'Lost connection to Postgres; work is paused until it returns.')
  }

  return {
    unavailable,
    available() {
      if (saidAtMs !== null) logger.info('Postgres is available again; work goes on.')
      saidAtMs = null
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

/** Jobs wait for receivers, not for connections: few connections serve many. */
function isAboutPoolSize(meta: Record<string, unknown>): boolean {
  return 'max' in meta && 'concurrency' in meta
}

function errorIn({ error, fatalError }: Record<string, unknown>): unknown {
  const found = fatalError ?? error
  return found instanceof AggregateError ? found.errors[0] : found
}
