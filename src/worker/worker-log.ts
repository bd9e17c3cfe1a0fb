import { isDatabaseUnavailable } from '../db/faults.ts'
import type { Logger } from '../telemetry/logger.ts'

/** While Postgres is away, this often one line says so. */
const SAY_AWAY_EVERY_MS = 5_000

/** So long after Postgres was away, what a runner stumbles over while it ends and is replaced follows from that. */
const FOLLOWS_WITHIN_MS = 30_000

/** Where a runner of graphile-worker writes what it has to say. */
export type WorkerLog = (level: string, message: string, meta?: Record<string, unknown>) => void

/** What graphile-worker says goes where all else goes. That Postgres is away is no error of ours, and said seldom. */
export function createWorkerLog(logger: Logger): {
  readonly workerLog: WorkerLog
  readonly sayAway: (error: unknown) => void
} {
  let awayAtMs = Number.NEGATIVE_INFINITY
  let saidAtMs = Number.NEGATIVE_INFINITY

  function sayAway(error: unknown): void {
    const now = performance.now()
    awayAtMs = now
    if (now - saidAtMs < SAY_AWAY_EVERY_MS) return
    saidAtMs = now
    logger.warn({ error }, 'Postgres is away: what it is needed for waits')
  }

  const workerLog: WorkerLog = (level, message, meta) => {
    const error = errorIn(meta)
    if (level === 'error' && isDatabaseUnavailable(error)) sayAway(error)
    else if (level === 'error' && isAfterRelease(error))
      logger.debug({ worker: true, error }, message)
    else if (level === 'error' && performance.now() - awayAtMs < FOLLOWS_WITHIN_MS)
      logger.warn({ error }, message)
    else if (level === 'error') logger.error({ ...meta }, message)
    else if (level === 'warning' && !EXPECTED_WARNING.test(message))
      logger.warn({ worker: true }, message)
    else if (logger.isLevelEnabled('debug')) logger.debug({ worker: true }, message)
  }

  return { workerLog, sayAway }
}

/** Jobs here wait for receivers, not for connections: what they ask of Postgres is gathered into few statements. */
const EXPECTED_WARNING = /having maxPoolSize .* smaller than concurrency/

/** A look for jobs that was due when the runner had let go of its queue: it takes none, and its shift ends as it should. */
function isAfterRelease(error: unknown): boolean {
  return error instanceof Error && /queue is already released/.test(error.message)
}

function errorIn(meta: object | undefined): unknown {
  const { error, fatalError } = (meta ?? {}) as { error?: unknown; fatalError?: unknown }
  const found = fatalError ?? error
  return found instanceof AggregateError ? found.errors[0] : found
}
