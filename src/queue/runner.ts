import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../db/client.ts'
import type { Logger } from '../telemetry/logger.ts'
import type { OutageLog } from '../telemetry/outage-log.ts'
import { type Failure, type Runner, startRunner } from './graphile-runner.ts'
import { startHeartbeat } from './heartbeat.ts'
import { watchOrphanedJobs } from './orphaned-jobs.ts'
import { markAbandoned, rescueWorkers } from './rescue.ts'
import { RETIRE_TIMEOUT_MS, retireRunner, waitAtMost } from './retire-runner.ts'
import { createRunnerContext } from './runner-context.ts'
import { createTaskRuns, type RunningJobs, type Tasks } from './task-runs.ts'
import { createWorkerLog } from './worker-log.ts'

/** The part of a process that runs jobs. Disposal lets running tasks finish for up to 8 s. */
export interface Worker extends AsyncDisposable {
  /** Whether it has a runner that claims jobs. */
  readonly running: boolean
  /** Makes a shutdown abort running tasks instead of waiting for them. */
  abort(): void
}

export interface WorkerOptions {
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

/** A runner that claims nothing for this many heartbeats is replaced. Doubles while new runners do not claim either. */
const STALLED_AFTER_HEARTBEATS = 5
const MAX_STALLED_AFTER_HEARTBEATS = 60

/** Runs jobs until it is disposed of. Replaces a runner of graphile-worker that fails. */
export async function startWorker(
  database: Database,
  tasks: Tasks,
  { concurrency, workerSchema, logger, outages, onStopping, onReplaced = () => {} }: WorkerOptions,
): Promise<Worker> {
  const log = createWorkerLog(logger, outages)
  const running: RunningJobs = new Map()
  const retiring = new Map<string, Promise<void>>()
  const shutdown = new AbortController()
  const taskAbort = new AbortController()
  let current: Runner | null = null
  let replacing: Promise<void> | null = null
  let stalledAfter = STALLED_AFTER_HEARTBEATS

  await using started = new AsyncDisposableStack()
  const context = started.use(createRunnerContext(report))
  const heartbeat = started.use(
    startHeartbeat({
      databaseUrl: database.url,
      onHeartbeat() {
        if (current) checkClaims(current)
      },
      onLost(runnerId) {
        if (current?.id === runnerId) replaceRunner(current, { reason: 'its claims are lost' })
      },
      onDead(runnerIds) {
        rescueDead(runnerIds.filter((id) => !retiring.has(id)))
      },
      onError: report,
    }),
  )
  const orphanedJobs = started.use(
    watchOrphanedJobs({
      pool: database.pool,
      workerSchema,
      claimed: () => new Map(current ? [[current.id, current.claims.jobIds]] : []),
      onFound(runnerIds) {
        if (current && runnerIds.includes(current.id))
          replaceRunner(current, { reason: 'jobs are orphaned' })
        const unknown = runnerIds.filter((id) => id !== current?.id)
        if (unknown.length > 0) markAbandoned(database.pool, unknown).catch(report)
      },
      onError: report,
    }),
  )

  function checkClaims(runner: Runner): void {
    if (runner.claims.countHeartbeat() <= stalledAfter) return
    stalledAfter = runner.claims.hasClaimed
      ? STALLED_AFTER_HEARTBEATS
      : Math.min(stalledAfter * 2, MAX_STALLED_AFTER_HEARTBEATS)
    replaceRunner(runner, { reason: 'claiming stalled' })
  }

  function report(error: unknown): void {
    if (!outages.report(error)) logger.warn({ error }, 'A worker runner reported an error.')
  }

  async function start(): Promise<void> {
    const runner = await context.run(() =>
      startRunner({
        database,
        workerSchema,
        concurrency,
        log,
        createTaskRuns: (runnerId) =>
          createTaskRuns({
            tasks,
            running,
            ensureClaimed: (signal) => heartbeat.ensureClaimed(runnerId(), signal),
            exitContext: context.exit,
            onUnavailable: outages.report,
          }),
        register: heartbeat.register,
        onConnectionError(error) {
          report(error)
          orphanedJobs.check()
        },
      }),
    )
    current = runner
    runner.failed.then((failure) => replaceRunner(runner, failure))
  }

  function replaceRunner(runner: Runner, { reason, error }: Failure): void {
    if (runner !== current || shutdown.signal.aborted) return
    const isOutage = outages.report(error)
    logger.warn(
      { event: 'runner.replaced', reason, ...(!isOutage && { error }) },
      'Replacing the worker runner.',
    )
    onReplaced()
    current = null
    runner.stop()
    // If Postgres is unavailable, the old runner's tasks wait for it, so the deadline for them starts only afterwards.
    replacing = startWithRetry().then(() => retire(runner))
  }

  async function startWithRetry(): Promise<void> {
    while (!shutdown.signal.aborted) {
      try {
        return await start()
      } catch (error) {
        if (!outages.report(error)) {
          logger.error({ error }, 'The worker runner did not start. Retrying.')
        }
      }
      await sleep(RETRY_AFTER_MS, undefined, { signal: shutdown.signal }).catch(() => {})
    }
  }

  function retire(runner: Runner): void {
    const retired = retireRunner(runner, {
      pool: database.pool,
      workerSchema,
      abortSignal: taskAbort.signal,
      shutdownSignal: shutdown.signal,
      onAbandoned: () => heartbeat.unregister(runner.id),
      onRescued(count) {
        if (count > 0) logger.info({ count }, 'Rescued the jobs of a stopped worker runner.')
      },
      onError: report,
    })
    retiring.set(
      runner.id,
      retired.finally(() => retiring.delete(runner.id)),
    )
  }

  let isRescuing = false

  async function rescueDead(runnerIds: string[]): Promise<void> {
    if (isRescuing || runnerIds.length === 0) return
    isRescuing = true
    try {
      const count = await rescueWorkers(database.pool, workerSchema, runnerIds)
      // A runner that was replaced may have had no job left.
      if (count > 0) logger.warn({ runnerIds, count }, 'Rescued the jobs of dead workers.')
    } catch (error) {
      report(error)
    }
    isRescuing = false
  }

  await start()
  const watches = started.move()
  return {
    get running() {
      return current !== null
    },
    abort() {
      taskAbort.abort()
    },
    async [Symbol.asyncDispose]() {
      shutdown.abort()
      await replacing
      if (current) retire(current)
      current = null
      onStopping()
      await waitAtMost(RETIRE_TIMEOUT_MS, Promise.all(retiring.values()))
      await watches.disposeAsync()
    },
  }
}
