import type { JobHelpers, TaskList } from 'graphile-worker'
import { retryWhileUnavailable } from '../db/retry-while-unavailable.ts'
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

/** The tasks of one runner. */
export interface TaskRuns {
  readonly taskList: TaskList
  readonly runningCount: number
}

export interface TaskRunsOptions {
  readonly tasks: Tasks
  /** Aborts the running tasks. */
  readonly signal: AbortSignal
  /** Resolves when the runner can write no more. */
  readonly closed: Promise<void>
  readonly ensureClaimed: () => void | Promise<void>
  readonly onUnavailable: (error: unknown) => void
}

export function createTaskRuns(options: TaskRunsOptions): TaskRuns {
  const { tasks, signal, closed, ensureClaimed, onUnavailable } = options
  const retries = { signal, onUnavailable }
  let runningCount = 0

  async function runJob(task: () => Promise<void>): Promise<void> {
    runningCount += 1
    try {
      await retryWhileUnavailable(task, retries)
      runningCount -= 1
    } catch (error) {
      runningCount -= 1
      // The job must neither complete nor fail, so that it stays claimed until its rescue.
      if (signal.aborted || error instanceof ClaimLostError) await closed
      throw error
    }
  }

  const entries = Object.entries(tasks).map(([name, task]) => [
    `${TASK_PREFIX}${name}`,
    (payload: unknown, { job }: JobHelpers) =>
      runJob(() =>
        (task as Task)(payload, { signal, key: job.key, runAt: job.run_at, ensureClaimed }),
      ),
  ])
  return {
    taskList: Object.fromEntries(entries),
    get runningCount() {
      return runningCount
    },
  }
}

type Task = (payload: unknown, run: TaskRun) => Promise<void>
