import { setTimeout as sleep } from 'node:timers/promises'
import { type CronItem, parseCronItems } from 'graphile-worker'
import type { Database } from '../db/client.ts'
import { isDatabaseUnavailable } from '../db/faults.ts'
import type { HandOver } from '../queue/hand-over.ts'
import type { Logger } from '../telemetry/logger.ts'
import { watchPools } from './pool-liveness.ts'
import { beginShift, type Shift } from './shift.ts'
import type { Tasks, UnderWay } from './task-runs.ts'
import { createWorkerLog } from './worker-log.ts'

/** The part of a process that runs jobs. */
export interface Worker extends AsyncDisposable {
  /** Whether it takes jobs at the moment. */
  readonly running: boolean
  /** Asks what is in flight to stop, and gives its jobs back, where a shutdown would wait for it. */
  hurry(): void
}

export interface WorkerOptions {
  readonly concurrency: number
  /** Where graphile-worker's tables are. Default: `graphile_worker`. */
  readonly workerSchema?: string
  readonly handOver: HandOver
  readonly logger: Logger
  /** Called when it begins to shut down. */
  readonly onStopping: () => void
}

/** How many jobs run, for each attempt that can be in flight: the others wait at the gate (`src/flow/gate.ts`). */
const AT_THE_GATE_FACTOR = 2

/** How many jobs are fetched ahead, for each attempt that can be in flight. */
const LOCAL_QUEUE_FACTOR = 4

/** Where few jobs are fetched, the next are fetched so long afterwards at the earliest. */
const FETCH_EVERY_MS = 2

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
    task: 'sweep_orphans',
    match: '7,22,37,52 * * * *',
    options: { backfillPeriod: 0 },
    identifier: 'sweep_orphans',
  },
  {
    task: 'keep_up',
    match: '* * * * *',
    options: { backfillPeriod: 0 },
    identifier: 'keep_up',
  },
]

/**
 * Runs jobs until it is disposed of. A runner that cannot go on, as when a statement of its own broke off, is replaced
 * at once, and ends what it has begun beside the new one.
 */
export async function startWorker(
  database: Database,
  tasks: Tasks,
  { concurrency, workerSchema = 'graphile_worker', handOver, logger, onStopping }: WorkerOptions,
): Promise<Worker> {
  const { workerLog, sayAway } = createWorkerLog(logger)
  const shifts = new Set<Shift>()
  const underWay: UnderWay = new Map()
  const stopping = new AbortController()
  let current: Shift | null = null
  let replacing: Promise<void> | null = null

  const liveness = watchPools({
    databaseUrl: database.url,
    logger,
    onLost(poolId) {
      logger.warn({ poolId }, 'this worker counted as killed: it begins anew')
      for (const shift of shifts) if (shift.poolId === poolId) shift.end()
    },
  })

  async function begin(): Promise<void> {
    const shift = await beginShift({
      database,
      liveness,
      tasks,
      underWay,
      cron: parseCronItems(CRON),
      preset: preset(concurrency),
      workerSchema,
      handOver,
      spare: concurrency,
      workerLog,
      onWait: sayAway,
    })
    current = shift
    shifts.add(shift)
    shift.ending.then(() => {
      if (current === shift) current = null
      if (!stopping.signal.aborted) replacing = replace(shift)
    })
    shift.ended.then(() => shifts.delete(shift))
  }

  async function replace(ending: Shift): Promise<void> {
    logger.warn('the worker cannot go on as it is; starting it again')
    while (!stopping.signal.aborted) {
      try {
        await begin()
        break
      } catch (error) {
        if (isDatabaseUnavailable(error)) sayAway(error)
        else logger.error({ error }, 'the worker did not start; trying again')
        await sleep(RESTART_AFTER_MS, undefined, { signal: stopping.signal }).catch(() => {})
      }
    }
    // Where this fails, they are given back when it has ended.
    await ending.giveBackUnbegun().catch(sayAway)
  }

  await begin()
  return {
    get running() {
      return current !== null
    },
    hurry() {
      for (const shift of shifts) shift.giveUp()
    },
    async [Symbol.asyncDispose]() {
      stopping.abort()
      await replacing
      for (const shift of shifts) shift.end()
      onStopping()
      await Promise.all([...shifts].map((shift) => shift.ended))
      await liveness[Symbol.asyncDispose]()
    },
  }
}

function preset(concurrency: number): GraphileConfig.Preset {
  return {
    worker: {
      concurrentJobs: concurrency * AT_THE_GATE_FACTOR,
      localQueue: {
        size: concurrency * LOCAL_QUEUE_FACTOR,
        // Many jobs that are announced one by one are fetched a few at a time.
        refetchDelay: {
          durationMs: FETCH_EVERY_MS,
          threshold: concurrency,
          maxAbortThreshold: concurrency,
        },
      },
      completeJobBatchDelay: 0,
      failJobBatchDelay: 0,
      // Jobs that become due are found by polling; new ones are announced.
      pollInterval: 500,
    },
  }
}
