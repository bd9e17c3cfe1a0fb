import { randomUUID } from 'node:crypto'
import type pg from 'pg'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Database } from '../../src/db/client.ts'
import { publicId } from '../../src/ids.ts'
import { createTestDatabase } from '../support/database.ts'
import { until } from '../support/until.ts'

let database: Database
beforeEach(async () => {
  database = await createTestDatabase()
})
afterEach(async () => await database[Symbol.asyncDispose]())

interface Job {
  readonly id: string
  readonly key: string | null
  readonly deliveryId: string
  readonly task: string
  readonly runAt: Date
  readonly attempts: number
  readonly maxAttempts: number
  readonly revision: number
  readonly lastError: string | null
  readonly available: boolean
  /** All columns but the times at which it was written. */
  readonly columns: Readonly<Record<string, unknown>>
}

const uuid = randomUUID()
const key = publicId('delivery', uuid)
const soon = new Date('2030-01-01T00:00:00Z')
const later = new Date('2031-01-01T00:00:00Z')

describe('the job of a delivery', () => {
  test('is made as graphile-worker makes one', async () => {
    expect(await addJobs([uuid], [soon])).toBe(1)
    const [ours] = await jobs()
    expect(ours).toMatchObject({ key, deliveryId: key, task: 'deliver', runAt: soon, attempts: 0 })

    await database.pool.query('delete from graphile_worker._private_jobs')
    await database.pool.query(
      `select graphile_worker.add_job('deliver', json_build_object('deliveryId', $1::text), null, $2, null, $1)`,
      [key, soon],
    )
    const [theirs] = await jobs()
    expect(ours?.columns).toEqual({ ...theirs?.columns, id: ours?.columns['id'] })
  })

  test('that waits is moved, and begins anew', async () => {
    await addJobs([uuid], [soon])
    await database.pool.query(
      `update graphile_worker._private_jobs set attempts = 3, last_error = 'it failed'`,
    )
    const [before] = await jobs()
    expect(await addJobs([uuid], [later])).toBe(1)
    expect(await jobs()).toMatchObject([
      { id: before?.id, key, runAt: later, attempts: 0, lastError: null, revision: 1 },
    ])
  })

  test('that has begun gives up its key, and another one is made', async () => {
    await addJobs([uuid], [soon])
    await database.pool.query(
      `update graphile_worker._private_jobs set locked_at = now(), locked_by = 'worker', attempts = 1`,
    )
    const [begun] = await jobs()
    expect(await addJobs([uuid], [later])).toBe(1)
    expect(await jobs()).toMatchObject([
      { id: begun?.id, key: null, runAt: soon, attempts: begun?.maxAttempts, available: false },
      { key, runAt: later, attempts: 0, available: true },
    ])
  })

  test('that has failed for good gives up its key too', async () => {
    await addJobs([uuid], [soon])
    await database.pool.query('update graphile_worker._private_jobs set attempts = max_attempts')
    expect(await addJobs([uuid], [later])).toBe(1)
    expect((await jobs()).map(({ key, available }) => ({ key, available }))).toEqual([
      { key: null, available: false },
      { key, available: true },
    ])
  })

  test('is made before any worker has begun, and where its task was cleaned up', async () => {
    await database.pool.query('delete from graphile_worker._private_tasks')
    expect(await addJobs([uuid], [soon])).toBe(1)
    expect(await jobs()).toMatchObject([{ key, task: 'deliver' }])
  })
})

test('many are made in their order, each for its own time, and none for none', async () => {
  const uuids = Array.from({ length: 1_000 }, () => randomUUID())
  const times = uuids.map((_, n) => new Date(soon.getTime() + n))
  expect(await addJobs(uuids, times)).toBe(1_000)
  const made = (await jobs()).map(({ deliveryId, runAt }) => ({ deliveryId, runAt }))
  expect(made).toEqual(
    uuids.map((id, n) => ({ deliveryId: publicId('delivery', id), runAt: times[n] })),
  )
  expect(await addJobs([], [])).toBe(0)
  expect(await addJobs(null, null)).toBe(0)
  expect(await jobs()).toHaveLength(1_000)
})

test('workers are told of those that are due, and not of those that are not yet', async () => {
  const listener = await database.pool.connect()
  const told: unknown[] = []
  const onTold = ({ payload }: pg.Notification) => told.push(JSON.parse(payload ?? ''))
  listener.on('notification', onTold)
  try {
    await listener.query('listen "jobs:insert"')
    await addJobs([randomUUID()], [soon])
    await addJobs([randomUUID(), randomUUID(), randomUUID()], [new Date(0), soon, new Date(0)])
    await until(() => told.length > 0, 'workers are told')
    expect(told).toEqual([{ r: expect.any(Number), count: 2 }])
  } finally {
    listener.off('notification', onTold)
    await listener.query('unlisten *')
    listener.release()
  }
})

async function addJobs(uuids: string[] | null, runAt: Date[] | null): Promise<number> {
  const { rows } = await database.pool.query<{ added: number }>(
    'select posthorn.add_deliver_jobs($1::uuid[], $2::timestamptz[])::int as added',
    [uuids, runAt],
  )
  return rows[0]?.added as number
}

async function jobs(): Promise<Job[]> {
  const { rows } = await database.pool.query<Job>(
    `select j.id, j.key, j.payload ->> 'deliveryId' as "deliveryId", t.identifier as task, j.run_at as "runAt",
       j.attempts, j.max_attempts as "maxAttempts", j.revision, j.last_error as "lastError", j.is_available as available,
       to_jsonb(j) - array['created_at', 'updated_at'] as columns
     from graphile_worker._private_jobs as j join graphile_worker._private_tasks as t on t.id = j.task_id order by j.id`,
  )
  return rows
}
