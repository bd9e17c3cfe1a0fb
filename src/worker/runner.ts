import {
  type CronItem,
  type JobHelpers,
  parseCronItems,
  type Runner,
  run,
  type TaskList,
  Logger as WorkerLogger,
} from 'graphile-worker'
import type { Database } from '../db/client.ts'
import type { TaskName, TaskPayloads } from '../queue/enqueue.ts'
import type { Logger } from '../telemetry/logger.ts'
import { type PoolLiveness, watchPools } from './pool-liveness.ts'

/** What runs for each task. The signal asks to stop soon, as the process is shutting down. */
export type Tasks = {
  [Name in TaskName]: (
    payload: TaskPayloads[Name],
    signal: AbortSignal | undefined,
  ) => Promise<void>
}

/** The part of a process that runs jobs. */
export interface Worker extends AsyncDisposable {
  /** Whether it takes jobs at the moment. */
  readonly running: boolean
}

export interface WorkerOptions {
  readonly concurrency: number
  readonly logger: Logger
}

/** How many jobs are fetched ahead, for each attempt that can be in flight. */
const LOCAL_QUEUE_FACTOR = 4

/** How long a shutdown waits for attempts in flight before it gives their jobs back. */
const FINISH_WITHIN_MS = 8_000

const RESTART_AFTER_MS = 500

/** Missed runs are not made up for, as one does the work of all. */
const CRON: CronItem[] = [
  {
    task: 'maintain',
    match: '*/15 * * * *',
    options: { backfillPeriod: 0 },
    identifier: 'maintain',
  },
  {
    task: 'keep_up',
    match: '* * * * *',
    options: { backfillPeriod: 0 },
    identifier: 'keep_up',
  },
]

/** Runs jobs until it is disposed of. When its runner ends for any other reason, it is started again. */
export async function startWorker(
  database: Database,
  tasks: Tasks,
  { concurrency, logger }: WorkerOptions,
): Promise<Worker> {
  const liveness = watchPools(database.url, database.pool, logger)
  let stopping = false
  let runner: Runner | undefined
  let restart: NodeJS.Timeout | undefined

  async function start(): Promise<void> {
    const started = await run({
      pgPool: database.pool,
      logger: new WorkerLogger(workerLogFactory(logger)),
      noHandleSignals: true,
      taskList: toTaskList(tasks),
      parsedCronItems: parseCronItems(CRON),
      preset: preset(concurrency, liveness),
    })
    runner = started
    const onEnd = (error?: unknown) => {
      runner = undefined
      if (stopping) return
      logger.error({ error }, 'the worker stopped by itself; starting it again')
      liveness.abandon().finally(startAgain)
    }
    started.promise.then(() => onEnd(), onEnd)
  }

  function startAgain() {
    restart = setTimeout(() => {
      start().catch((error) => {
        logger.error({ error }, 'the worker did not start; trying again')
        startAgain()
      })
    }, RESTART_AFTER_MS)
  }

  await start()
  return {
    get running() {
      return runner !== undefined
    },
    async [Symbol.asyncDispose]() {
      stopping = true
      clearTimeout(restart)
      await runner
        ?.stop()
        .catch((error) => logger.error({ error }, 'the worker did not stop cleanly'))
      await liveness[Symbol.asyncDispose]()
    },
  }
}

function preset(concurrency: number, liveness: PoolLiveness): GraphileConfig.Preset {
  return {
    worker: {
      concurrentJobs: concurrency,
      localQueue: { size: concurrency * LOCAL_QUEUE_FACTOR },
      completeJobBatchDelay: 0,
      failJobBatchDelay: 0,
      // Jobs that become due are found by polling; new ones are announced.
      pollInterval: 500,
      gracefulShutdownAbortTimeout: FINISH_WITHIN_MS,
    },
    plugins: [
      {
        name: 'PosthornPoolLiveness',
        version: '0.0.0',
        worker: {
          hooks: {
            async startWorker(_context, { worker }) {
              await liveness.register(worker.workerPool.id)
            },
          },
        },
      },
    ],
  }
}

function toTaskList(tasks: Tasks): TaskList {
  const entries = Object.entries(tasks).map(([name, task]) => [
    name,
    (payload: unknown, helpers: JobHelpers) =>
      (task as (payload: unknown, signal: AbortSignal | undefined) => Promise<void>)(
        payload,
        helpers.abortSignal,
      ),
  ])
  return Object.fromEntries(entries)
}

/** What graphile-worker says goes where all else goes. */
function workerLogFactory(logger: Logger) {
  return () => (level: string, message: string, meta?: object) => {
    if (level === 'error') logger.error({ ...meta }, message)
    else if (level === 'warning' && !EXPECTED_WARNING.test(message))
      logger.warn({ worker: true }, message)
    else if (logger.isLevelEnabled('debug')) logger.debug({ worker: true }, message)
  }
}

/** Jobs here wait for receivers, not for connections: what they ask of Postgres is gathered into few statements. */
const EXPECTED_WARNING = /having maxPoolSize .* smaller than concurrency/
