import { describe, expect, test } from 'vitest'
import { parseId } from '../../src/db/ids.ts'
import { enqueue } from '../../src/queue/jobs.ts'
import { abandonUnknownRunners, rescueWorkers } from '../../src/queue/rescue.ts'
import { useFreshDatabase } from '../support/fresh-database.ts'
import { claimJobs } from '../support/jobs.ts'
import { addDeliveries, jobs, runnerIds } from './support/deliveries.ts'

const database = useFreshDatabase()

const rescue = (ids: string[]) => rescueWorkers(database.pool, 'graphile_worker', ids)

/** A worker that has claimed all jobs of a task, or as many as it can, with its last heartbeat. */
async function claimAll(task = 'posthorn:deliver', heartbeatAt = '-infinity', count?: number) {
  const worker = await claimJobs(database, count ?? (await jobs(database)).length, task)
  const text = 'insert into posthorn.workers (id, heartbeat_at) values ($1, $2)'
  await database.pool.query(text, [worker.id, heartbeatAt])
  return worker
}

async function setDelivery(deliveryId: string, assignments: string): Promise<void> {
  await database.pool.query(`update posthorn.deliveries set ${assignments} where id = $1`, [
    parseId('delivery', deliveryId),
  ])
}

test('the job of a rescued delivery is due, with the recorded number of attempts', async () => {
  await addDeliveries(database, 3, { attemptCount: 4, maxAttempts: 10 })
  await using dead = await claimAll()
  expect((await jobs(database)).map(({ attempts }) => attempts)).toEqual([5, 5, 5])
  expect(await rescue([dead.id])).toBe(3)
  for (const job of await jobs(database))
    expect(job).toMatchObject({ attempts: 4, maxAttempts: 10, lockedBy: null, isDue: true })
  expect(await runnerIds(database)).toEqual([])
})

test('jobs that a runner claims after its rescue are rescued as well, but not those of one that has just started', async () => {
  const [id] = await addDeliveries(database, 1, { attemptCount: 4 })
  await using late = await claimAll()
  await database.pool.query('delete from posthorn.workers')
  await abandonUnknownRunners(database.pool, 'graphile_worker')
  expect(await runnerIds(database)).toEqual([])
  await abandonUnknownRunners(database.pool, 'graphile_worker', 0)
  expect(await runnerIds(database)).toEqual([late.id])
  expect(await rescue([late.id])).toBe(1)
  expect(await jobs(database)).toMatchObject([{ key: id, attempts: 4, lockedBy: null }])
})

test('a runner that was rescued although it is alive cannot complete the rescued jobs', async () => {
  await addDeliveries(database, 5)
  const slow = await claimAll()
  const before = await jobs(database)
  await rescue([slow.id])
  await slow.complete()
  const after = await jobs(database)
  expect(after.map(({ key }) => key)).toEqual(before.map(({ key }) => key))
  expect(after.filter(({ id }) => before.some((job) => job.id === id))).toEqual([])
})

test.each([
  ['succeeded', `state = 'succeeded', finished_at = now()`],
  ['canceled', `state = 'canceled', finished_at = now()`],
  ['parked', `parked_at = now(), parked_reason = 'on_hold'`],
])(
  'a delivery that needs no job because it is %s has none after a rescue',
  async (_state, assignments) => {
    const [deliveryId] = await addDeliveries(database, 1)
    await using dead = await claimAll()
    await setDelivery(deliveryId as string, assignments)
    await rescue([dead.id])
    expect(await jobs(database)).toEqual([])
  },
)

test('the next job of a delivery keeps its schedule, and the replaced job is removed', async () => {
  const [deliveryId] = await addDeliveries(database, 1)
  await using dead = await claimAll()
  await setDelivery(
    deliveryId as string,
    `attempt_count = 1, last_error = 'HTTP 503', next_attempt_at = now() + interval '1 hour'`,
  )
  await database.pool.query('select posthorn.restore_delivery_jobs(array[$1::uuid])', [
    parseId('delivery', deliveryId as string),
  ])
  expect(await jobs(database)).toHaveLength(2)
  await rescue([dead.id])
  expect(await jobs(database)).toMatchObject([
    { key: deliveryId, attempts: 1, lockedBy: null, isDue: false },
  ])
})

test('jobs of other tasks run again, even on their last attempt', async () => {
  await enqueue(database.prisma, 'release_backlog', { webhookId: 'wh_1' })
  await database.pool.query(
    `select graphile_worker.add_job('posthorn:release_backlog', max_attempts := 1)`,
  )
  await using dead = await claimAll('posthorn:release_backlog')
  expect(await rescue([dead.id])).toBe(2)
  expect(await jobs(database)).toMatchObject([
    { attempts: 0, maxAttempts: 25, lockedBy: null, isDue: true },
    { attempts: 0, maxAttempts: 1, lockedBy: null, isDue: true },
  ])
})

describe('the deaths of workers with a delivery', () => {
  const LONG_AGO = '2000-01-01'

  async function deaths(): Promise<number[]> {
    const { rows } = await database.pool.query(
      'select worker_deaths as n from posthorn.deliveries order by id',
    )
    return rows.map(({ n }) => n)
  }

  async function dieWith(count: number, registeredAt = LONG_AGO) {
    await using dead = await claimAll('posthorn:deliver', registeredAt, count)
    expect(await rescue([dead.id])).toBe(count)
  }

  test('are counted for each that the worker had claimed; after two, one of them is claimed at a time, and counts alone', async () => {
    await addDeliveries(database, 2)
    await dieWith(2)
    expect(await deaths()).toEqual([1, 1])
    await dieWith(2)
    expect(await deaths()).toEqual([2, 2])
    await addDeliveries(database, 1)
    await dieWith(2)
    expect((await deaths()).sort()).toEqual([0, 2, 3])
  })

  test('do not include a runner that its process replaced or stopped', async () => {
    await addDeliveries(database, 2)
    await dieWith(2, '-infinity')
    expect(await deaths()).toEqual([0, 0])
  })
})

test('concurrent processes rescue a worker once', async () => {
  await addDeliveries(database, 10)
  await using dead = await claimAll()
  const counts = await Promise.all([rescue([dead.id]), rescue([dead.id]), rescue([dead.id])])
  expect(counts.toSorted()).toEqual([0, 0, 10])
})

test('a worker with a fresh heartbeat keeps its jobs', async () => {
  await addDeliveries(database, 2)
  await using alive = await claimAll('posthorn:deliver', 'now')
  expect(await rescue([alive.id])).toBe(0)
  expect((await jobs(database)).map(({ lockedBy }) => lockedBy)).toEqual([alive.id, alive.id])
})
