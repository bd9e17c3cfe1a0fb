import { setTimeout as sleep } from 'node:timers/promises'
import type { JobHelpers, TaskList } from 'graphile-worker'
import { isDatabaseUnavailable } from '../db/faults.ts'
import { ClaimLostError } from './heartbeat.ts'
import { TASK_PREFIX, type TaskName, type TaskPayloads } from './jobs.ts'

export interface TaskRun {
  /** Asks the task to requeue its work and return, as the process is shutting down. */
  readonly signal: AbortSignal
  /**
   * To be awaited right before what must not happen twice: before a request is written, and before its outcome is
   * recorded. Throws where others may have rescued the job.
   */
  ensureClaimed(): void | Promise<void>
}

/** What runs for each task. It throws only for faults of ours; the job is then tried again. */
export type Tasks = {
  [Name in TaskName]: (payload: TaskPayloads[Name], run: TaskRun) => Promise<void>
}

/** The tasks of one worker runner. */
export interface TaskRuns {
  readonly taskList: TaskList
  /** How many run at the moment. */
  readonly count: number
  abort(): void
  /** Ends those that were left to a rescue, once their runner can write no more. */
  release(): void
}

/** The jobs that run in this process, in any of its runners, by key or else id; each resolves when it has ended. */
export type RunningJobs = Map<string, Promise<void>>

export interface TaskRunsOptions {
  readonly tasks: Tasks
  readonly running: RunningJobs
  readonly ensureClaimed: (signal: AbortSignal) => void | Promise<void>
  /** Calls a task outside of the context of its runner. */
  readonly leaveRunner: <Result>(run: () => Result) => Result
  readonly onUnavailable: (error: unknown) => void
}

const RETRY_AFTER_MS = 250

export function createTaskRuns(options: TaskRunsOptions): TaskRuns {
  const { tasks, running, ensureClaimed, leaveRunner, onUnavailable } = options
  const aborting = new AbortController()
  const { signal } = aborting
  const released = Promise.withResolvers<void>()
  const run: TaskRun = { signal, ensureClaimed: () => ensureClaimed(signal) }
  let count = 0

  async function retryWhileUnavailable(task: () => Promise<void>): Promise<void> {
    for (;;) {
      try {
        return await task()
      } catch (error) {
        if (signal.aborted || !isDatabaseUnavailable(error)) throw error
        onUnavailable(error)
      }
      await sleep(RETRY_AFTER_MS, undefined, { signal })
    }
  }

  async function runJob(jobKey: string, task: () => Promise<void>): Promise<void> {
    count += 1
    try {
      await runOnce(running, jobKey, () => retryWhileUnavailable(task))
    } catch (error) {
      if (!signal.aborted && !(error instanceof ClaimLostError)) throw error
      // Its job must neither complete nor fail here: it stays claimed until it is rescued.
      return released.promise.then(() => Promise.reject(error))
    } finally {
      count -= 1
    }
  }

  const entries = Object.entries(tasks).map(([name, task]) => [
    `${TASK_PREFIX}${name}`,
    (payload: unknown, { job }: JobHelpers) =>
      runJob(job.key ?? job.id, () => leaveRunner(() => (task as Task)(payload, run))),
  ])
  return {
    taskList: Object.fromEntries(entries),
    get count() {
      return count
    },
    abort: () => aborting.abort(),
    release: released.resolve,
  }
}

type Task = (payload: unknown, run: TaskRun) => Promise<void>

/** A rescued job may come back to this process while an abandoned runner is still at it. */
async function runOnce(running: RunningJobs, key: string, run: () => Promise<void>): Promise<void> {
  for (let earlier = running.get(key); earlier; earlier = running.get(key)) await earlier
  const ended = Promise.withResolvers<void>()
  running.set(key, ended.promise)
  try {
    await run()
  } finally {
    running.delete(key)
    ended.resolve()
  }
}
