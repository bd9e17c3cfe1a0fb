import { AsyncLocalStorage } from 'node:async_hooks'
import { randomBytes } from 'node:crypto'
import { EventEmitter } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { run, type WorkerEvents, Logger as WorkerLogger } from 'graphile-worker'
import type { Database } from '../db/client.ts'
import { type Claims, trackClaims } from './claims.ts'
import { cronItems } from './cron.ts'
import { openRunnerPool } from './runner-pool.ts'
import type { TaskRuns } from './task-runs.ts'
import type { WorkerLog } from './worker-log.ts'

export interface Failure {
  readonly reason: string
  readonly error?: unknown
}

/** One runner of graphile-worker, with its own connections. */
export interface Runner {
  /** The id of its worker pool: `locked_by` of its jobs. */
  readonly id: string
  readonly applicationName: string
  readonly claims: Claims
  /** Resolves when the runner fails, also when it ends without an error. */
  readonly failed: Promise<Failure>
  /** Stops claiming. Resolves when no task runs. */
  stop(): Promise<void>
  /** Aborts the running tasks. */
  abort(): void
  /** Closes its connections. Tasks that still run can no longer complete their jobs. */
  destroy(): void
}

export interface RunnerOptions {
  readonly database: Pick<Database, 'url' | 'connections'>
  readonly workerSchema: string
  readonly concurrency: number
  readonly log: WorkerLog
  readonly createTaskRuns: (runnerId: () => string) => TaskRuns
  /** No job runs until this resolves. */
  readonly register: (runnerId: string) => Promise<void>
  readonly onConnectionError: (error: Error) => void
}

/** Jobs that run per attempt in flight: one sends, the others wait for a permit. */
const JOBS_PER_ATTEMPT = 2

/**
 * Of this many attempts in flight, one job is claimed ahead. A job waits for those that were claimed before it, so a large
 * share makes other organizations wait; with a fifth, a drain is as fast as with twice the attempts in flight.
 */
const ATTEMPTS_PER_CLAIM_AHEAD = 5

const POLL_EVERY_MS = 100

export async function startRunner(options: RunnerOptions): Promise<Runner> {
  const { log, onConnectionError } = options
  const applicationName = `posthorn-runner-${randomBytes(6).toString('hex')}`
  const connections = openRunnerPool(options.database, applicationName, onConnectionError)
  const events: WorkerEvents = new EventEmitter()
  const claims = trackClaims(events)
  const failed = Promise.withResolvers<Failure>()
  let id = ''
  let registered = Promise.resolve()
  let hasEnded = false
  const taskRuns = options.createTaskRuns(() => id)

  // Registered before its first claim, so that other processes rescue its jobs if this process dies.
  events.once('pool:create', ({ workerPool }) => {
    id = workerPool.id
    registered = options.register(id)
    registered.catch(() => {})
  })
  function fail(failure: Failure): void {
    hasEnded = true
    failed.resolve(failure)
  }
  events.once('pool:fatalError', ({ action, error }) => fail({ reason: `${action} failed`, error }))
  events.once('pool:gracefulShutdown', ({ message }) => fail({ reason: message }))

  const runner = await run({
    pgPool: connections.pool,
    events,
    logger: new WorkerLogger(() => (level, message, meta) => {
      // Until its pool exists, graphile-worker comments on the options, which are chosen here. Errors of a runner that has
      // ended follow from the failure that was reported, and its jobs are rescued.
      log(id === '' || hasEnded ? 'debug' : level, message, meta)
    }),
    noHandleSignals: true,
    taskList: taskRuns.taskList,
    parsedCronItems: cronItems(),
    preset: preset(options, () => registered),
  }).catch((error) => {
    connections.destroy()
    throw error
  })
  const inContext = AsyncLocalStorage.snapshot()
  const settled = runner.promise.catch((error) => fail({ reason: 'the runner ended', error }))
  settled.then(() => fail({ reason: 'the runner ended' }))

  const destroyed = new AbortController()
  let stopped: Promise<void> | null = null
  return {
    id,
    applicationName,
    claims,
    failed: failed.promise,
    stop() {
      // The promise of graphile-worker may never settle after a failed write, so running tasks are counted as well.
      stopped ??= Promise.race([settled, waitUntilIdle(taskRuns, destroyed.signal)])
      // Rejects if the runner is already stopping. What it rejects besides belongs to the context of the runner.
      inContext(() => runner.stop()).catch(() => {})
      return stopped
    },
    abort: () => taskRuns.abort(),
    destroy() {
      hasEnded = true
      destroyed.abort()
      taskRuns.abort()
      connections.destroy()
      taskRuns.rejectAbandoned()
    },
  }
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

const CHECK_EVERY_MS = 100

/** The time in which graphile-worker writes the completion of the last task. */
const IDLE_FOR_MS = 1_000

async function waitUntilIdle(taskRuns: TaskRuns, signal: AbortSignal): Promise<void> {
  for (let idleMs = 0; idleMs < IDLE_FOR_MS && !signal.aborted; ) {
    await sleep(CHECK_EVERY_MS)
    idleMs = taskRuns.runningCount === 0 ? idleMs + CHECK_EVERY_MS : 0
  }
}
