import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../db/client.ts'
import { isDatabaseUnavailable } from '../db/faults.ts'
import type { Logger } from '../telemetry/logger.ts'
import { type Failure, type Runner, startRunner } from './graphile-runner.ts'
import { startHeartbeat } from './heartbeat.ts'
import { watchLostClaims } from './lost-claims.ts'
import { markAbandoned, rescueWorkers } from './rescue.ts'
import { RETIRED_WITHIN_MS, retireRunner, within } from './retire-runner.ts'
import { createRunnerContext } from './runner-context.ts'
import { createTaskRuns, type RunningJobs, type Tasks } from './task-runs.ts'
import { createWorkerLog } from './worker-log.ts'

/** The part of a process that runs jobs. Disposing of it lets running tasks finish for a while. */
export interface Worker extends AsyncDisposable {
  /** Whether it claims jobs at the moment. */
  readonly running: boolean
  /** Aborts the tasks that a shutdown would wait for. */
  abort(): void
}

export interface WorkerOptions {
  /** Attempts in flight. More jobs are claimed, so that those that wait for a permit keep no other one waiting. */
  readonly concurrency: number
  /** The schema of graphile-worker. */
  readonly workerSchema: string
  readonly logger: Logger
  /** Called when it begins to shut down. */
  readonly onStopping: () => void
}

const RETRY_AFTER_MS = 500

/** Heartbeats without a claim, the first time; each replacement that does not help doubles it. */
const STALLED_AFTER_BEATS = 5
const STALLED_AFTER_BEATS_AT_MOST = 60

/** Runs jobs until it is disposed of. A runner of graphile-worker that cannot go on is replaced. */
export async function startWorker(
  database: Database,
  tasks: Tasks,
  { concurrency, workerSchema, logger, onStopping }: WorkerOptions,
): Promise<Worker> {
  const log = createWorkerLog(logger)
  const running: RunningJobs = new Map()
  const retiring = new Map<string, Promise<void>>()
  const stopping = new AbortController()
  const aborting = new AbortController()
  let current: Runner | null = null
  let replacing: Promise<void> | null = null
  let stalledAfterBeats = STALLED_AFTER_BEATS

  await using started = new AsyncDisposableStack()
  const context = started.use(createRunnerContext(report))
  const heartbeat = started.use(
    startHeartbeat({
      databaseUrl: database.url,
      onBeat() {
        log.available()
        if (current) checkClaims(current)
      },
      onLost(runnerId) {
        if (current?.id === runnerId)
          replaceRunner(current, { reason: 'its heartbeat was overdue' })
      },
      onDead(runnerIds) {
        rescueDead(runnerIds.filter((id) => !retiring.has(id)))
      },
      onError: report,
    }),
  )
  const lostClaims = started.use(
    watchLostClaims({
      pool: database.pool,
      workerSchema,
      held: () => new Map(current ? [[current.id, current.claims.held]] : []),
      onFound(runnerIds) {
        if (current && runnerIds.includes(current.id))
          replaceRunner(current, { reason: 'lost claim' })
        const unknown = runnerIds.filter((id) => id !== current?.id)
        if (unknown.length > 0) markAbandoned(database.pool, unknown).catch(report)
      },
      onError: report,
    }),
  )

  function checkClaims(runner: Runner): void {
    if (runner.claims.countBeat() <= stalledAfterBeats) return
    stalledAfterBeats = runner.claims.hasClaimed
      ? STALLED_AFTER_BEATS
      : Math.min(stalledAfterBeats * 2, STALLED_AFTER_BEATS_AT_MOST)
    replaceRunner(runner, { reason: 'claiming stalled' })
  }

  function report(error: unknown): void {
    if (isDatabaseUnavailable(error)) log.unavailable(error)
    else logger.warn({ error }, 'A worker runner met an error.')
  }

  async function start(): Promise<void> {
    const runner = await context.enter(() =>
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
            leaveRunner: context.leave,
            onUnavailable: log.unavailable,
          }),
        register: heartbeat.register,
        onConnectionError(error) {
          report(error)
          lostClaims.look()
        },
      }),
    )
    current = runner
    runner.failed.then((failure) => replaceRunner(runner, failure))
  }

  function replaceRunner(runner: Runner, { reason, error }: Failure): void {
    if (runner !== current || stopping.signal.aborted) return
    if (isDatabaseUnavailable(error)) log.unavailable(error)
    logger.warn({ reason, error }, 'Replacing the worker runner.')
    current = null
    runner.stop()
    // Its tasks wait for Postgres as long as the new runner does.
    replacing = startAgain().then(() => retire(runner))
  }

  async function startAgain(): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        return await start()
      } catch (error) {
        if (isDatabaseUnavailable(error)) log.unavailable(error)
        else logger.error({ error }, 'The worker runner did not start; trying again.')
      }
      await sleep(RETRY_AFTER_MS, undefined, { signal: stopping.signal }).catch(() => {})
    }
  }

  function retire(runner: Runner): void {
    const retired = retireRunner(runner, {
      pool: database.pool,
      workerSchema,
      aborting: aborting.signal,
      stopping: stopping.signal,
      onAbandoned: () => heartbeat.unregister(runner.id),
      onRescued(count) {
        if (count > 0) logger.info({ count }, 'Rescued the jobs of a worker runner that stopped.')
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
      logger.warn({ runnerIds, count }, 'Rescued the jobs of dead workers.')
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
      aborting.abort()
    },
    async [Symbol.asyncDispose]() {
      stopping.abort()
      await replacing
      if (current) retire(current)
      current = null
      onStopping()
      await within(RETIRED_WITHIN_MS, Promise.all(retiring.values()))
      await watches.disposeAsync()
    },
  }
}
