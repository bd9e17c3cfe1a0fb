import type { Pools } from '../db/pools.ts'
import { supervise } from '../lib/supervise.ts'
import type { Logger } from '../telemetry/logger.ts'
import type { OutageLog } from '../telemetry/outages.ts'
import { startHeartbeat } from './heartbeat.ts'
import type { Tasks } from './jobs.ts'
import { rescueWorkers } from './rescue.ts'
import { DRAIN_TIMEOUT_MS, startRunner, waitAtMost } from './runner.ts'

/** The part of a process that runs jobs. Disposal lets running tasks finish for up to 8 s. */
export interface Worker extends AsyncDisposable {
  /** Whether it has a runner that claims jobs. */
  readonly running: boolean
  /** Makes a shutdown abort running tasks instead of waiting for them. */
  abort(): void
}

interface WorkerOptions {
  /** Maximum attempts in flight. The worker claims more jobs, so that jobs waiting for a permit do not block others. */
  readonly concurrency: number
  /** The schema of graphile-worker. */
  readonly workerSchema: string
  readonly logger: Logger
  readonly outages: OutageLog
  /** Called when the shutdown begins. */
  readonly onStopping: () => void
  /** Called when a runner is replaced. Default: nothing. */
  readonly onReplaced?: () => void
}

const RETRY_AFTER_MS = 500

/** Runs jobs until it is disposed of, by a runner that is replaced when it fails. */
export async function startWorker(
  database: Pools,
  tasks: Tasks,
  { concurrency, workerSchema, logger, outages, onStopping, onReplaced = () => {} }: WorkerOptions,
): Promise<Worker> {
  const { pool, url } = database
  const report = outages.warnOf('A worker runner reported an error.')
  const shutdown = new AbortController()
  const taskAbort = new AbortController()

  await using started = new AsyncDisposableStack()
  const heartbeat = started.use(
    startHeartbeat({
      databaseUrl: url,
      onDead: rescueDead,
      onError: report,
    }),
  )

  let isRescuing = false

  async function rescueDead(runnerIds: string[]): Promise<void> {
    if (isRescuing) return
    isRescuing = true
    try {
      const count = await rescueWorkers(pool, workerSchema, runnerIds)
      // A runner that was replaced may have had no job left.
      if (count > 0) logger.warn({ runnerIds, count }, 'Rescued the jobs of dead workers.')
    } catch (error) {
      report(error)
    }
    isRescuing = false
  }

  const supervised = await supervise({
    start: () =>
      startRunner({
        database,
        workerSchema,
        tasks,
        concurrency,
        heartbeat,
        logger,
        outages,
        abortSignal: taskAbort.signal,
        stopSignal: shutdown.signal,
      }),
    onFailed({ reason, error }) {
      const isOutage = outages.report(error)
      logger.warn(
        { event: 'runner.replaced', reason, ...(!isOutage && { error }) },
        'Replacing the worker runner.',
      )
      onReplaced()
    },
    onStartFailed(error) {
      if (!outages.report(error)) {
        logger.error({ error }, 'The worker runner did not start. Retrying.')
      }
    },
    retryAfterMs: RETRY_AFTER_MS,
  })
  const watches = started.move()
  return {
    get running() {
      return supervised.current !== null && !shutdown.signal.aborted
    },
    abort: () => taskAbort.abort(),
    async [Symbol.asyncDispose]() {
      shutdown.abort()
      const drained = supervised[Symbol.asyncDispose]()
      onStopping()
      await waitAtMost(DRAIN_TIMEOUT_MS, drained)
      await watches.disposeAsync()
    },
  }
}
