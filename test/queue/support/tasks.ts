import type { Database } from '../../../src/db/client.ts'
import type { Tasks } from '../../../src/queue/jobs.ts'
import { startWorker, type Worker } from '../../../src/queue/worker.ts'
import { createLogger } from '../../../src/telemetry/logger.ts'
import { createOutageLog } from '../../../src/telemetry/outages.ts'

/** Starts a worker with the given tasks. */
export function startTestWorker(
  database: Database,
  tasks: Partial<Tasks>,
  { concurrency, logLevel }: { readonly concurrency: number; readonly logLevel: 'info' | 'silent' },
): Promise<Worker> {
  const logger = createLogger(logLevel)
  return startWorker(database, createTasks(tasks), {
    concurrency,
    workerSchema: 'graphile_worker',
    logger,
    outages: createOutageLog(logger),
    onStopping() {},
  })
}

/** The given tasks; all others do nothing. */
function createTasks(tasks: Partial<Tasks>): Tasks {
  const idle = async () => {}
  return {
    deliver: idle,
    release_backlog: idle,
    fan_out: idle,
    continue_bulk_task: idle,
    maintain: idle,
    sweep: idle,
    roll_up: idle,
    send_alert: idle,
    send_confirmation: idle,
    send_alerts: idle,
    check_jobs: idle,
    ...tasks,
  }
}
