import { EventEmitter } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { WorkerEvents } from 'graphile-worker'
import { type ParsedCronItem, run, Logger as WorkerLogger } from 'graphile-worker'
import { batched } from '../batch.ts'
import type { Database } from '../db/client.ts'
import type { HandOver, TakenDelivery } from '../queue/hand-over.ts'
import { createBeginTaken } from './begin-taken.ts'
import { fetchWhatWasAnnounced } from './fetch-announced.ts'
import { giveBackJobs } from './give-back.ts'
import { pollWhileBusy } from './poll-while-busy.ts'
import type { PoolLiveness } from './pool-liveness.ts'
import { openQueuePool } from './queue-pool.ts'
import { noticeRememberedFailure } from './remembered-failure.ts'
import { createTaskRuns, type TaskRuns, type Tasks, type UnderWay } from './task-runs.ts'
import type { WorkerLog } from './worker-log.ts'

/** One runner of graphile-worker with its pool, from its beginning until the last of its jobs has ended. */
export interface Shift {
  readonly poolId: string
  /** Resolves when it takes no more jobs, for whatever reason. */
  readonly ending: Promise<void>
  /** Resolves when all it had begun has ended or was given back. */
  readonly ended: Promise<void>
  /** Takes no more jobs. What runs may go on for a while. */
  end(): void
  /** Asks what runs to stop, and gives its jobs back. */
  giveUp(): void
  /** Gives back the jobs that it took and has not begun. */
  giveBackUnbegun(): Promise<void>
}

export interface ShiftOptions {
  readonly database: Database
  readonly liveness: PoolLiveness
  readonly tasks: Tasks
  readonly underWay: UnderWay
  readonly cron: ParsedCronItem[]
  readonly preset: GraphileConfig.Preset
  readonly workerSchema: string
  /** Where it takes over what this process publishes. */
  readonly handOver: HandOver
  /** How many of its workers are left to what it fetches. */
  readonly spare: number
  readonly workerLog: WorkerLog
  readonly onWait: (error: unknown) => void
}

/** How long what runs may go on when a shift ends, before its jobs are given back. */
const FINISH_WITHIN_MS = 8_000

export async function beginShift(options: ShiftOptions): Promise<Shift> {
  const { database, liveness, tasks, underWay, cron, preset, workerLog, onWait } = options
  let poolId = ''
  const giveBack = batched(
    async (ids: string[]) => {
      await giveBackJobs(database.pool, poolId, { only: ids })
      return new Array<void>(ids.length)
    },
    { gatherMs: 5, maxSize: 1_000 },
  )
  const runs = createTaskRuns({ tasks, underWay, giveBack, onWait })
  const events: WorkerEvents = new EventEmitter()
  fetchWhatWasAnnounced(events)
  pollWhileBusy(events)
  const taken = createBeginTaken(events, options.spare)
  const failed = Promise.withResolvers<void>()
  const log = noticeRememberedFailure(workerLog, failed.resolve)
  const queue = openQueuePool(database.connections, onWait, failed.resolve)
  const runner = await run({
    pgPool: queue.pool,
    schema: options.workerSchema,
    events,
    logger: new WorkerLogger(() => log),
    noHandleSignals: true,
    taskList: runs.taskList,
    parsedCronItems: cron,
    preset: withFirstStep(preset, async (id) => {
      poolId = id
      await liveness.register(id)
    }),
  }).catch(async (error) => {
    await queue[Symbol.asyncDispose]()
    throw error
  })

  function beginTaken(deliveries: readonly TakenDelivery[], asOf: number): void {
    for (const { jobId } of taken.begin(deliveries, asOf)) giveBack(jobId).catch(onWait)
  }

  function end(): void {
    attending[Symbol.dispose]()
    runs.end()
    // It is already ending where this is refused.
    runner.stop()?.catch(() => {})
  }

  // What was taken for it without an answer is given back when it has ended.
  const attending = options.handOver.attend({
    get poolId() {
      return poolId
    },
    room: taken.room,
    begin: beginTaken,
    lose: failed.resolve,
  })
  failed.promise.then(end)
  const ending = new Promise<void>((resolve) => {
    runner.events.once('pool:gracefulShutdown', () => resolve())
    runner.promise.then(resolve, () => resolve())
  })
  ending.then(() => {
    attending[Symbol.dispose]()
    runs.end()
  })
  const giveUpLater = ending.then(() => setTimeout(() => runs.giveUp(), FINISH_WITHIN_MS))
  // Why it ended was logged by then. A runner whose completions failed once may never end: then its tasks count.
  const stopped = runner.promise.catch(() => {})
  const over = new AbortController()
  const idle = ending.then(() => tasksEnded(runs, over.signal))
  const ended = Promise.race([stopped, idle]).then(async () => {
    over.abort()
    clearTimeout(await giveUpLater)
    runs[Symbol.dispose]()
    await giveBackJobs(database.pool, poolId, { allBut: [] }).catch(() => {})
    await liveness.forget(poolId)
    await queue[Symbol.asyncDispose]()
  })
  return {
    get poolId() {
      return poolId
    },
    ending,
    ended,
    end,
    giveUp: () => runs.giveUp(),
    async giveBackUnbegun() {
      await giveBackJobs(database.pool, poolId, { allBut: runs.ids() })
    },
  }
}

/** Resolves once no task runs any more, and what they completed had the time to be deleted. Rejects when aborted. */
async function tasksEnded(runs: TaskRuns, signal: AbortSignal): Promise<void> {
  for (let idleLooks = 0; idleLooks < IDLE_LOOKS; ) {
    await sleep(LOOK_EVERY_MS, undefined, { signal })
    idleLooks = runs.ids().length === 0 ? idleLooks + 1 : 0
  }
}

const LOOK_EVERY_MS = 100
const IDLE_LOOKS = 15

/** Lets each of the pool's workers wait for something before its first job. */
function withFirstStep(
  preset: GraphileConfig.Preset,
  step: (poolId: string) => Promise<void>,
): GraphileConfig.Preset {
  return {
    ...preset,
    plugins: [
      {
        name: 'PosthornPoolLiveness',
        version: '0.0.0',
        worker: {
          hooks: {
            async startWorker(_context, { worker }) {
              await step(worker.workerPool.id)
            },
          },
        },
      },
    ],
  }
}
