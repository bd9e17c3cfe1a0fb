import type { JobHelpers } from 'graphile-worker'
import { expect, test } from 'vitest'
import { ClaimLostError } from '../../src/queue/heartbeat.ts'
import { createTaskRuns, type RunningJobs, type TaskRuns } from '../../src/queue/task-runs.ts'
import { until } from '../support/until.ts'
import { createTasks } from './support/tasks.ts'

const away = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })

function createRuns(
  deliver: (signal: AbortSignal) => Promise<void>,
  running: RunningJobs = new Map(),
): TaskRuns {
  return createTaskRuns({
    tasks: createTasks({ deliver: (_payload, { signal }) => deliver(signal) }),
    running,
    ensureClaimed() {},
    leaveRunner: (run) => run(),
    onUnavailable() {},
  })
}

/** As graphile-worker runs it. */
function runJob({ taskList }: TaskRuns, id = '1', key: string | null = null): Promise<unknown> {
  const task = taskList['posthorn:deliver'] as (payload: unknown, helpers: unknown) => unknown
  return Promise.resolve(task({}, { job: { id, key } } as JobHelpers))
}

/** Whether it settles, and how. */
function observe(promise: Promise<unknown>): { outcome: string } {
  const observed = { outcome: 'pending' }
  promise.then(
    () => (observed.outcome = 'done'),
    (error) => (observed.outcome = error.message),
  )
  return observed
}

test('a task that fails as Postgres is unavailable is run again until that is over', async () => {
  let runs = 0
  await runJob(
    createRuns(async () => {
      runs += 1
      if (runs < 3) throw away
    }),
  )
  expect(runs).toBe(3)
})

test('a task that fails for another reason fails its job at once', async () => {
  const runs = createRuns(async () => {
    throw new Error('a bug')
  })
  await expect(runJob(runs)).rejects.toThrow('a bug')
  expect(runs.count).toBe(0)
})

test('a job is not run twice at once, in whichever runner', async () => {
  const running: RunningJobs = new Map()
  let inFlight = 0
  let most = 0
  const deliver = async () => {
    inFlight += 1
    most = Math.max(most, inFlight)
    await new Promise((resolve) => setTimeout(resolve, 20))
    inFlight -= 1
  }
  const [old, next] = [createRuns(deliver, running), createRuns(deliver, running)]
  await Promise.all([
    runJob(old, '1', 'msg_1'),
    runJob(next, '2', 'msg_1'),
    runJob(next, '3', 'msg_1'),
  ])
  expect(most).toBe(1)
  expect(running.size).toBe(0)
})

test('a job whose task is fenced neither completes nor fails until its runner can write no more', async () => {
  const runs = createRuns(async () => {
    throw new ClaimLostError('claim lost')
  })
  const job = observe(runJob(runs))
  await until(() => runs.count === 0, 'its task has ended')
  expect(job.outcome).toBe('pending')
  runs.release()
  await until(() => job.outcome === 'claim lost', 'it ends')
})

test('aborted while Postgres is unavailable, a task is left to a rescue', async () => {
  const runs = createRuns(async () => {
    throw away
  })
  const job = observe(runJob(runs))
  runs.abort()
  await until(() => runs.count === 0, 'its task has ended')
  expect(job.outcome).toBe('pending')
})

test('a task that requeues its work when it is aborted completes its job', async () => {
  const runs = createRuns(
    (signal) => new Promise((resolve) => signal.addEventListener('abort', () => resolve())),
  )
  const job = runJob(runs)
  runs.abort()
  await job
})
