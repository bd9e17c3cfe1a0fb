import { setTimeout as sleep } from 'node:timers/promises'
import type { JobHelpers, TaskList } from 'graphile-worker'
import { isDatabaseUnavailable } from '../db/faults.ts'
import { DomainError } from '../errors.ts'
import type { TaskName, TaskPayloads } from '../queue/enqueue.ts'

/** What runs for each task. The signal asks to stop soon, as the process is shutting down. */
export type Tasks = {
  [Name in TaskName]: (
    payload: TaskPayloads[Name],
    signal: AbortSignal | undefined,
  ) => Promise<void>
}

/** The jobs that one worker pool runs at the moment. To be disposed of when the pool has ended. */
export interface TaskRuns extends Disposable {
  readonly taskList: TaskList
  /** The ids of the jobs. */
  ids(): string[]
  /** From now on, those that cannot begin give their jobs back. */
  end(): void
  /** Asks all of them to stop. Those that do not within a second are left behind; the jobs of all are given back. */
  giveUp(): void
}

/** The jobs that a worker runs at the moment, in whichever of its pools, by their ids; and whether each was done then. */
export type UnderWay = Map<string, Promise<boolean>>

export interface TaskRunsOptions {
  readonly tasks: Tasks
  readonly underWay: UnderWay
  /** Makes a job due again for anybody, under another id. */
  readonly giveBack: (jobId: string) => Promise<void>
  /** Told of each job that begins to wait for Postgres. */
  readonly onWait: (error: unknown) => void
}

/** How often a task that needs Postgres is run again while that is away. */
const RUN_AGAIN_AFTER_MS = 250

/** How long those that are asked to stop may take to record what is done. */
const RECORD_WITHIN_MS = 1_000

export function createTaskRuns({ tasks, underWay, giveBack, onWait }: TaskRunsOptions): TaskRuns {
  const stop = new AbortController()
  const over = new AbortController()
  let ending = false
  /** How to leave each of them behind, by the ids of their jobs. */
  const leave = new Map<string, () => void>()

  /** Once it has failed: again and again, as long as that is because Postgres is away. */
  async function runAgain(task: Run, error: unknown): Promise<void> {
    let reason = error
    for (let waiting = false; ; waiting = true) {
      if (stop.signal.aborted || !isDatabaseUnavailable(reason)) throw reason
      if (!waiting) onWait(reason)
      await sleep(RUN_AGAIN_AFTER_MS, undefined, { signal: stop.signal })
      try {
        return await task(stop.signal)
      } catch (next) {
        reason = next
      }
    }
  }

  /** Answers whether it was done. Else it was given back. */
  async function runJob(jobId: string, task: Run): Promise<boolean> {
    try {
      await new Promise<void>((resolve, reject) => {
        leave.set(jobId, () => reject(new Error('It did not stop when it was asked to.')))
        task(stop.signal).then(resolve, (error) => runAgain(task, error).then(resolve, reject))
      })
      return true
    } catch (error) {
      if (!stop.signal.aborted && !(ending && isUnavailable(error))) throw error
      // Under its new id: when this one is completed now, nothing happens.
      await giveBack(jobId)
      return false
    } finally {
      leave.delete(jobId)
      underWay.delete(jobId)
    }
  }

  /** A job that is taken again while it runs, as Postgres forgot of it when it crashed, is not run twice. */
  function runOnce(jobId: string, task: Run): Promise<unknown> {
    const before = underWay.get(jobId)
    if (before) return join(jobId, before)
    const run = runJob(jobId, task)
    underWay.set(jobId, run)
    return run
  }

  /** What gave it back then had no longer taken it. */
  async function join(jobId: string, before: Promise<boolean>): Promise<void> {
    if (!(await before)) await giveBack(jobId)
  }

  function leaveAllBehind(): void {
    for (const leaveBehind of leave.values()) leaveBehind()
  }

  const entries = Object.entries(tasks).map(([name, task]) => [
    name,
    (payload: unknown, { job }: JobHelpers) =>
      runOnce(job.id, (signal) =>
        (task as (payload: unknown, signal: AbortSignal) => Promise<void>)(payload, signal),
      ),
  ])
  return {
    taskList: Object.fromEntries(entries),
    ids: () => [...leave.keys()],
    end() {
      ending = true
    },
    giveUp() {
      stop.abort()
      sleep(RECORD_WITHIN_MS, undefined, { signal: over.signal }).then(leaveAllBehind, () => {})
    },
    [Symbol.dispose]() {
      over.abort()
    },
  }
}

type Run = (signal: AbortSignal) => Promise<void>

function isUnavailable(error: unknown): boolean {
  return error instanceof DomainError && error.code === 'unavailable'
}
