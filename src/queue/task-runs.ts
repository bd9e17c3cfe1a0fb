import { setTimeout as sleep } from 'node:timers/promises'
import type { JobHelpers, TaskList } from 'graphile-worker'
import { isDatabaseUnavailable } from '../db/faults.ts'
import { ClaimLostError } from './heartbeat.ts'
import { TASK_PREFIX, type TaskName, type TaskPayloads } from './jobs.ts'

export interface TaskRun {
  /** Aborted at shutdown: the task must requeue its work and return. */
  readonly signal: AbortSignal
  /** The key of the job. */
  readonly key: string | null
  /** When the job was to run. */
  readonly runAt: Date
  /**
   * Await it right before each step that must not happen twice: sending a request, and recording its outcome. Throws a
   * ClaimLostError if another process may have rescued the job.
   */
  ensureClaimed(): void | Promise<void>
}

/** The implementation of each task. A task throws only for our own faults, and its job is then retried. */
export type Tasks = {
  [Name in TaskName]: (payload: TaskPayloads[Name], run: TaskRun) => Promise<void>
}

/** The tasks of one worker runner. */
export interface TaskRuns {
  readonly taskList: TaskList
  readonly runningCount: number
  abort(): void
  /** Rejects the tasks whose jobs are left to a rescue. Call it once the runner cannot write any more. */
  rejectAbandoned(): void
}

/** The jobs that run in any runner of this process, by key or else by id. Each promise resolves when its job has ended. */
export type RunningJobs = Map<string, Promise<void>>

export interface TaskRunsOptions {
  readonly tasks: Tasks
  readonly running: RunningJobs
  readonly ensureClaimed: (signal: AbortSignal) => void | Promise<void>
  /** Calls a task outside of the async context of its runner. */
  readonly exitContext: <Result>(callback: () => Result) => Result
  readonly onUnavailable: (error: unknown) => void
}

const RETRY_AFTER_MS = 250

export function createTaskRuns(options: TaskRunsOptions): TaskRuns {
  const { tasks, running, ensureClaimed, exitContext, onUnavailable } = options
  const controller = new AbortController()
  const { signal } = controller
  const abandoned = Promise.withResolvers<void>()
  const ensureJobClaimed = () => ensureClaimed(signal)
  let runningCount = 0

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
    runningCount += 1
    try {
      await runExclusively(running, jobKey, () => retryWhileUnavailable(task))
    } catch (error) {
      if (!signal.aborted && !(error instanceof ClaimLostError)) throw error
      // The job must neither complete nor fail here, so that it stays claimed until its rescue.
      return abandoned.promise.then(() => Promise.reject(error))
    } finally {
      runningCount -= 1
    }
  }

  const entries = Object.entries(tasks).map(([name, task]) => [
    `${TASK_PREFIX}${name}`,
    (payload: unknown, { job }: JobHelpers) =>
      runJob(job.key ?? job.id, () =>
        exitContext(() =>
          (task as Task)(payload, {
            signal,
            key: job.key,
            runAt: job.run_at,
            ensureClaimed: ensureJobClaimed,
          }),
        ),
      ),
  ])
  return {
    taskList: Object.fromEntries(entries),
    get runningCount() {
      return runningCount
    },
    abort: () => controller.abort(),
    rejectAbandoned: abandoned.resolve,
  }
}

type Task = (payload: unknown, run: TaskRun) => Promise<void>

/** This process may claim a rescued job again while its abandoned runner still runs the job. */
async function runExclusively(
  running: RunningJobs,
  key: string,
  run: () => Promise<void>,
): Promise<void> {
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
