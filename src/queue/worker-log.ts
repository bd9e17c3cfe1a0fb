import type { Logger } from '../telemetry/logger.ts'
import type { OutageLog } from '../telemetry/outages.ts'
import { ForeignJobError } from './foreign-job.ts'

/** Writes a log line of graphile-worker. */
export type WorkerLog = (level: string, message: string, meta?: Record<string, unknown>) => void

/** Writes graphile-worker's log lines to our log. */
export function createWorkerLog(logger: Logger, outages: OutageLog): WorkerLog {
  return (level, message, meta = {}) => {
    const error = errorIn(meta)
    if (error instanceof ForeignJobError) logger.warn({ event: 'job.foreign' }, message)
    else if (level === 'error') {
      if (!outages.report(error)) logger.error({ error }, message)
    } else if (level === 'warning' && !isAboutPoolSize(meta)) logger.warn({ worker: true }, message)
    else if (logger.isLevelEnabled('debug')) logger.debug({ worker: true }, message)
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
