import { randomBytes } from 'node:crypto'
import { EventEmitter } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { run, type TaskList, type WorkerEvents, Logger as WorkerLogger } from 'graphile-worker'
import type { Sql } from '../db/client.ts'
import { retryWhileUnavailable } from '../db/faults.ts'
import type { Pools } from '../db/pools.ts'
import type { Failure, Part } from '../lib/supervise.ts'
import type { Logger } from '../telemetry/logger.ts'
import type { OutageLog } from '../telemetry/outages.ts'
import { ClaimLostError, type Heartbeat } from './heartbeat.ts'
import { SCHEDULE, TASK_PREFIX, type TaskRun, type Tasks } from './jobs.ts'
import { rescueAbandoned } from './rescue.ts'
import { openRunnerPool } from './runner-pool.ts'

interface RunnerOptions {
  readonly database: Pools
  readonly workerSchema: string
  readonly tasks: Tasks
  readonly concurrency: number
  readonly heartbeat: Heartbeat
  readonly logger: Logger
  readonly outages: OutageLog
  /** Aborts the running tasks when the runner is drained. */
  readonly abortSignal: AbortSignal
  /** Once it is aborted, a failed rescue of the jobs that are left is not repeated: other processes rescue them. */
  readonly stopSignal: AbortSignal
}

type Task = (payload: unknown, run: TaskRun) => Promise<void>

/** Jobs that run per attempt in flight: one sends, the others wait for a permit. */
const JOBS_PER_ATTEMPT = 2

/**
 * Of this many attempts in flight, one job is claimed ahead. A job waits for those that were claimed before it, so a large
 * share makes other organizations wait; with a fifth, a drain is as fast as with twice the attempts in flight.
 */
const ATTEMPTS_PER_CLAIM_AHEAD = 5

const POLL_EVERY_MS = 100

/** How long running tasks may take to finish. */
const FINISH_TIMEOUT_MS = 8_000

/** How long aborted tasks may take to record their results and requeue the rest. */
const REQUEUE_TIMEOUT_MS = 1_000

/** Includes 3 s to rescue the remaining jobs. */
export const DRAIN_TIMEOUT_MS = FINISH_TIMEOUT_MS + REQUEUE_TIMEOUT_MS + 3_000

/** Starts a runner of graphile-worker, with its own connections. One that claims nothing for several heartbeats fails. */
export async function startRunner(options: RunnerOptions): Promise<Part> {
  const { database, workerSchema, tasks, heartbeat, logger, outages } = options
  const onUnavailable = outages.report
  const onError = outages.warnOf('A worker runner reported an error.')
  const applicationName = `posthorn-runner-${randomBytes(6).toString('hex')}`
  const failed = Promise.withResolvers<Failure>()
  const closed = Promise.withResolvers<void>()
  const taskAbort = new AbortController()
  const events: WorkerEvents = new EventEmitter()
  const isStalled = watchClaims(events)
  /** The id of its worker pool: `locked_by` of its jobs. */
  let id = ''
  let registered = Promise.resolve()
  let hasEnded = false

  function fail(failure: Failure): void {
    hasEnded = true
    failed.resolve(failure)
  }

  // The answer to a claim may be lost with a connection. Then jobs are claimed that only a rescue finds.
  const connections = openRunnerPool(database, applicationName, (error) =>
    fail({ reason: 'a connection broke', error }),
  )
  let runningCount = 0

  async function runJob(task: () => Promise<void>): Promise<void> {
    runningCount += 1
    try {
      await retryWhileUnavailable(task, { signal: taskAbort.signal, onUnavailable })
      runningCount -= 1
    } catch (error) {
      runningCount -= 1
      // The job must neither complete nor fail, so that it stays claimed until its rescue.
      if (taskAbort.signal.aborted || error instanceof ClaimLostError) await closed.promise
      throw error
    }
  }

  const taskList: TaskList = {}
  for (const [name, task] of Object.entries(tasks) as [string, Task][]) {
    taskList[`${TASK_PREFIX}${name}`] = (payload, { job }) => {
      const { signal } = taskAbort
      const ensureClaimed = () => heartbeat.ensureClaimed(id, signal)
      return runJob(() => task(payload, { signal, key: job.key, runAt: job.run_at, ensureClaimed }))
    }
  }
  // Registered before its first claim, so that other processes rescue its jobs if this process dies.
  events.once('pool:create', ({ workerPool }) => {
    id = workerPool.id
    registered = heartbeat.register(id, {
      onHeartbeat() {
        if (isStalled()) fail({ reason: 'claiming stalled' })
      },
      onLost: () => fail({ reason: 'its claims are lost' }),
    })
    registered.catch(() => {})
  })
  events.once('pool:fatalError', ({ action, error }) => fail({ reason: `${action} failed`, error }))
  events.once('pool:gracefulShutdown', ({ message }) => fail({ reason: message }))

  const start = async () => {
    await requireWritable(connections.pool)
    return await run({
      pgPool: connections.pool,
      events,
      logger: new WorkerLogger(() => (level, message, meta) => {
        // Until its pool exists, graphile-worker comments on the options, which are chosen here. Errors of a runner that has
        // ended follow from the failure that was reported, and its jobs are rescued.
        const isOfInterest = id !== '' && !hasEnded
        writeLine(options, isOfInterest ? level : 'debug', message, meta)
      }),
      noHandleSignals: true,
      taskList,
      crontab: crontab(),
      preset: preset(options, () => registered),
    })
  }
  const runner = await start().catch((error) => {
    connections.destroy()
    throw error
  })
  const settled = runner.promise.catch((error) => fail({ reason: 'the runner ended', error }))
  settled.then(() => fail({ reason: 'the runner ended' }))

  let isStopping = false
  function stop(): void {
    if (isStopping) return
    isStopping = true
    // graphile-worker does not await the return of its jobs, and Node ends the thread if that fails: test/queue/worker.test.ts.
    process.on('unhandledRejection', onError)
    // Rejects if the runner is already stopping.
    runner.stop().catch(() => {})
  }
  failed.promise.then(stop)

  return {
    failed: failed.promise,
    async drain() {
      stop()
      // The promise of graphile-worker may never settle after a failed write, so running tasks are counted as well.
      const stopped = Promise.race([settled, waitUntilIdle(() => runningCount, closed.promise)])
      await waitAtMost(FINISH_TIMEOUT_MS, stopped, options.abortSignal)
      taskAbort.abort()
      await waitAtMost(REQUEUE_TIMEOUT_MS, stopped)
      heartbeat.unregister(id)
      connections.destroy()
      closed.resolve()
      const rescue = () => rescueAbandoned(database.pool, workerSchema, id, applicationName)
      await retryWhileUnavailable(rescue, { signal: options.stopSignal, onUnavailable }).then(
        (count) =>
          count > 0 && logger.info({ count }, 'Rescued the jobs of a stopped worker runner.'),
        onError,
      )
      process.off('unhandledRejection', onError)
    },
  }
}

/**
 * Throws on a standby. A runner that started there would claim nothing after the failover: graphile-worker asks for the ids of
 * its tasks once, with an insert, and keeps an error as the answer.
 */
async function requireWritable(sql: Sql): Promise<void> {
  await sql.query(`insert into posthorn.workers (id) select '' where false`)
}

function preset(
  { workerSchema, concurrency }: RunnerOptions,
  registered: () => Promise<void>,
): GraphileConfig.Preset {
  return {
    worker: {
      schema: workerSchema,
      concurrentJobs: concurrency * JOBS_PER_ATTEMPT,
      localQueue: { size: Math.ceil(concurrency / ATTEMPTS_PER_CLAIM_AHEAD) },
      completeJobBatchDelay: 0,
      failJobBatchDelay: 0,
      pollInterval: POLL_EVERY_MS,
    },
    plugins: [
      {
        name: 'PosthornHeartbeat',
        version: '0.0.0',
        worker: { hooks: { startWorker: registered } },
      },
    ],
  }
}

/**
 * Missed runs are not made up for: one run does the work of all, also of a failed one. A run that takes longer than its
 * interval is followed by one other run, and never runs beside it.
 */
function crontab(): string {
  const lines = Object.entries(SCHEDULE).map(([name, times]) => {
    const task = `${TASK_PREFIX}${name}`
    return `${times} ${task} ?queue=${task}&jobKey=${task}`
  })
  return lines.join('\n')
}

/** Writes a line of graphile-worker to our log. */
function writeLine(
  { logger, outages }: RunnerOptions,
  level: string,
  message: string,
  meta: Record<string, unknown> = {},
): void {
  const { error: single, fatalError = single } = meta
  const error = fatalError instanceof AggregateError ? fatalError.errors[0] : fatalError
  // Most jobs wait for endpoints, so a few connections are enough.
  const isAboutPoolSize = 'max' in meta && 'concurrency' in meta
  if (level === 'error') {
    if (!outages.report(error)) logger.error({ error }, message)
  } else if (level === 'warning' && !isAboutPoolSize) logger.warn({ worker: true }, message)
  else if (logger.isLevelEnabled('debug')) logger.debug({ worker: true }, message)
}

/** A runner fails after as many heartbeats without an answer to a claim. The first answer may take longer. */
const MAX_HEARTBEATS_WITHOUT_CLAIM = 5
const MAX_HEARTBEATS_BEFORE_FIRST_CLAIM = 10

/** Returns what counts a heartbeat and tells whether the runner polls and gets no answers. */
function watchClaims(events: WorkerEvents): () => boolean {
  let isPolling = false
  let heartbeats = 0
  let maxHeartbeats = MAX_HEARTBEATS_BEFORE_FIRST_CLAIM
  events.on('localQueue:setMode', ({ newMode }) => {
    isPolling = newMode === 'POLLING'
    heartbeats = 0
  })
  events.on('localQueue:getJobs:complete', () => {
    heartbeats = 0
    maxHeartbeats = MAX_HEARTBEATS_WITHOUT_CLAIM
  })
  return () => isPolling && ++heartbeats > maxHeartbeats
}

const CHECK_EVERY_MS = 100

/** The time in which graphile-worker writes the completion of the last task. */
const IDLE_FOR_MS = 1_000

async function waitUntilIdle(running: () => number, closed: Promise<void>): Promise<void> {
  let isClosed = false
  closed.then(() => {
    isClosed = true
  })
  for (let idleMs = 0; idleMs < IDLE_FOR_MS && !isClosed; ) {
    await sleep(CHECK_EVERY_MS)
    idleMs = running() === 0 ? idleMs + CHECK_EVERY_MS : 0
  }
}

/** Resolves when the promise resolves, when the time is over, or when the signal aborts. */
export async function waitAtMost(
  ms: number,
  promise: PromiseLike<unknown>,
  abortSignal?: AbortSignal,
): Promise<void> {
  const settled = new AbortController()
  const signal = AbortSignal.any([settled.signal, ...(abortSignal ? [abortSignal] : [])])
  await Promise.race([promise, sleep(ms, undefined, { signal }).catch(() => {})])
  settled.abort()
}
