import type { JobHelpers } from 'graphile-worker'
import { expect, test } from 'vitest'
import { ClaimLostError } from '../../src/queue/heartbeat.ts'
import { createTaskRuns, type RunningJobs, type TaskRuns } from '../../src/queue/task-runs.ts'
import { until } from '../support/until.ts'
import { createTasks } from './support/tasks.ts'

const unavailable = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })

function createRuns(
  deliver: (signal: AbortSignal) => Promise<void>,
  running: RunningJobs = new Map(),
): TaskRuns {
  return createTaskRuns({
    tasks: createTasks({ deliver: (_payload, { signal }) => deliver(signal) }),
    running,
    ensureClaimed() {},
    exitContext: (callback) => callback(),
    onUnavailable() {},
  })
}

/** Runs a job as graphile-worker does. */
function runJob({ taskList }: TaskRuns, id = '1', key: string | null = null): Promise<unknown> {
  const task = taskList['posthorn:deliver'] as (payload: unknown, helpers: unknown) => unknown
  return Promise.resolve(task({}, { job: { id, key } } as JobHelpers))
}

/** The outcome of a promise: pending, done, or the message of its error. */
function observe(promise: Promise<unknown>): { outcome: string } {
  const observed = { outcome: 'pending' }
  promise.then(
    () => (observed.outcome = 'done'),
    (error) => (observed.outcome = error.message),
  )
  return observed
}

test('a task that fails because Postgres is unavailable is retried until Postgres is back', async () => {
  let runs = 0
  await runJob(
    createRuns(async () => {
      runs += 1
      if (runs < 3) throw unavailable
    }),
  )
  expect(runs).toBe(3)
})

test('a task that fails for another reason fails its job at once', async () => {
  const runs = createRuns(async () => {
    throw new Error('a bug')
  })
  await expect(runJob(runs)).rejects.toThrow('a bug')
  expect(runs.runningCount).toBe(0)
})

test('a job never runs twice at the same time, in the same runner or in two', async () => {
  const running: RunningJobs = new Map()
  let inFlight = 0
  let maxInFlight = 0
  const deliver = async () => {
    inFlight += 1
    maxInFlight = Math.max(maxInFlight, inFlight)
    await new Promise((resolve) => setTimeout(resolve, 20))
    inFlight -= 1
  }
  const [old, next] = [createRuns(deliver, running), createRuns(deliver, running)]
  await Promise.all([
    runJob(old, '1', 'msg_1'),
    runJob(next, '2', 'msg_1'),
    runJob(next, '3', 'msg_1'),
  ])
  expect(maxInFlight).toBe(1)
  expect(running.size).toBe(0)
})

test('a job whose claim is lost neither completes nor fails until its runner can write no more', async () => {
  const runs = createRuns(async () => {
    throw new ClaimLostError('claim lost')
  })
  const job = observe(runJob(runs))
  await until(() => runs.runningCount === 0, 'the task has ended')
  expect(job.outcome).toBe('pending')
  runs.rejectAbandoned()
  await until(() => job.outcome === 'claim lost', 'the job ends')
})

test('a task that is aborted while Postgres is unavailable leaves its job to a rescue', async () => {
  const runs = createRuns(async () => {
    throw unavailable
  })
  const job = observe(runJob(runs))
  runs.abort()
  await until(() => runs.runningCount === 0, 'the task has ended')
  expect(job.outcome).toBe('pending')
})

test('a task that requeues its work on abort completes its job', async () => {
  const runs = createRuns(
    (signal) => new Promise((resolve) => signal.addEventListener('abort', () => resolve())),
  )
  const job = runJob(runs)
  runs.abort()
  await job
})
