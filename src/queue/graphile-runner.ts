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

/** One runner of graphile-worker, with connections of its own. */
export interface Runner {
  /** The id of its pool, as in `locked_by` of its jobs. */
  readonly id: string
  readonly applicationName: string
  readonly claims: Claims
  /** Resolves once it cannot go on. */
  readonly failed: Promise<Failure>
  /** Stops claiming. Resolves when nothing runs any more. */
  stop(): Promise<void>
  abort(): void
  /** Closes its connections. Tasks that still run complete nothing. */
  destroy(): void
}

export interface RunnerOptions {
  readonly database: Pick<Database, 'url' | 'connections'>
  readonly workerSchema: string
  readonly concurrency: number
  readonly log: WorkerLog
  readonly createTaskRuns: (runnerId: () => string) => TaskRuns
  /** No job runs before this has resolved. */
  readonly register: (runnerId: string) => Promise<void>
  readonly onConnectionError: (error: Error) => void
}

/** How many jobs run for each attempt that may be in flight: the others wait for a permit. */
const JOBS_PER_ATTEMPT = 2

/** How many jobs are claimed ahead for each attempt that may be in flight. */
const CLAIMS_PER_ATTEMPT = 4

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
  let isOver = false
  const taskRuns = options.createTaskRuns(() => id)

  // Before it claims: then other processes rescue its jobs if this one dies.
  events.once('pool:create', ({ workerPool }) => {
    id = workerPool.id
    registered = options.register(id)
    registered.catch(() => {})
  })
  function fail(failure: Failure): void {
    isOver = true
    failed.resolve(failure)
  }
  events.once('pool:fatalError', ({ action, error }) => fail({ reason: `${action} failed`, error }))
  events.once('pool:gracefulShutdown', ({ message }) => fail({ reason: message }))

  const runner = await run({
    pgPool: connections.pool,
    events,
    logger: new WorkerLogger(() => (level, message, meta) => {
      // What a runner meets while it ends follows from why it ends, and its jobs are rescued.
      log.write(isOver ? 'debug' : level, message, meta)
    }),
    noHandleSignals: true,
    taskList: taskRuns.taskList,
    parsedCronItems: cronItems(),
    preset: preset(options, () => registered),
  }).catch((error) => {
    connections.destroy()
    throw error
  })
  const settled = runner.promise.catch((error) => fail({ reason: 'it ended', error }))
  settled.then(() => fail({ reason: 'it ended' }))

  const over = new AbortController()
  let stopped: Promise<void> | null = null
  return {
    id,
    applicationName,
    claims,
    failed: failed.promise,
    stop() {
      // Its promise may never settle once a write failed. Then its tasks count.
      stopped ??= Promise.race([settled, untilIdle(taskRuns, over.signal)])
      // Rejects where it is stopping already.
      runner.stop().catch(() => {})
      return stopped
    },
    abort: () => taskRuns.abort(),
    destroy() {
      isOver = true
      over.abort()
      taskRuns.abort()
      connections.destroy()
      taskRuns.release()
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
      localQueue: { size: concurrency * CLAIMS_PER_ATTEMPT },
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

const LOOK_EVERY_MS = 100

/** So long after the last task its completion has been written, if it can be. */
const IDLE_FOR_MS = 1_000

async function untilIdle(taskRuns: TaskRuns, signal: AbortSignal): Promise<void> {
  for (let idleMs = 0; idleMs < IDLE_FOR_MS && !signal.aborted; ) {
    await sleep(LOOK_EVERY_MS)
    idleMs = taskRuns.count === 0 ? idleMs + LOOK_EVERY_MS : 0
  }
}
