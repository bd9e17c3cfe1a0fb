import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../support/app.ts'
import { useFreshDatabase } from '../support/fresh-database.ts'
import { holdLock } from '../support/hold-lock.ts'
import { createPartitions, dropPartition } from '../support/maintain-partitions.ts'
import { DAY_MS, usePartitionRows } from '../support/partition-rows.ts'
import { until } from '../support/until.ts'

/* The job of the maintenance runs in a worker. */

let posthorn: TestApp
const database = useFreshDatabase()
const rows = usePartitionRows(database)

beforeEach(async () => {
  posthorn = await startTestApp({ database })
  await until(async () => (await maintenanceJobs()).length === 0, 'the first maintenance ended')
  await removeTomorrow()
  await createPartitions(database.pool, 'current_date - 50', 'current_date - 40')
})
afterEach(() => posthorn[Symbol.asyncDispose]())

const query = async (text: string, values: unknown[] = []) =>
  (await database.pool.query(text, values)).rows

const lock = (partition: string) =>
  holdLock(database.pool, `lock table posthorn_partitions.${partition}`)

const maintain = () => query(`select posthorn.enqueue('maintain', '{}', 'maintain')`)

const maintenanceJobs = () =>
  query(`select * from graphile_worker.jobs where task_identifier = 'posthorn:maintain'`)

describe('other tables and steps go on', () => {
  test('while another program holds a lock on the default partition', async () => {
    const old = new Date(Date.now() - 60 * DAY_MS)
    await rows.delivery(old, await rows.event(old), 'succeeded')
    {
      await using _lock = await lock('attempts_default in share mode')
      await maintain()
      await expectFailure(/create_partitions of attempts \(.*lock timeout\)/)
      expect(await missing()).toEqual(['attempts'])
      expect((await oldPartitions()).every((name) => name.startsWith('attempts_'))).toBe(true)
      expect(await rows.counts()).toMatchObject({ events: 0, deliveries: 0 })
    }
    await maintain()
    await until(async () => (await maintenanceJobs()).length === 0, 'the maintenance succeeded')
    expect([await missing(), await oldPartitions()]).toEqual([[], []])
  })

  test('while a dump holds a lock on a detached partition', async () => {
    await query(`select posthorn.detach_partitions_before('attempts', current_date - 45)`)
    const [first] = await oldPartitions('attempts')
    {
      await using _lock = await lock(`${first} in access share mode`)
      await maintain()
      await expectFailure(new RegExp(`drop_partitions of ${first}`))
      expect(await missing()).toEqual([])
      expect(await oldPartitions()).toEqual([first])
    }
    await maintain()
    await until(async () => (await oldPartitions()).length === 0, 'the old days are dropped')
  })
})

/** The job fails with the name of the step, is to be retried, and the metrics count the failure. */
async function expectFailure(message: RegExp): Promise<void> {
  // While a retry runs, the job is locked.
  await until(
    async () => {
      const [job] = await maintenanceJobs()
      return job?.locked_at === null && message.test(job.last_error)
    },
    `the maintenance failed: ${message}`,
    30_000,
  )
  const metrics = await (await fetch(`${posthorn.app.url}/metrics`)).text()
  const step = /(\w+) of/.exec(message.source)?.[1]
  expect(metrics).toMatch(
    new RegExp(`posthorn_maintenance_failures_total\\{step="${step}".*\\} [1-9]`),
  )
  expect(metrics).toMatch(/posthorn_maintenance_failures_total\{step="audit_entries".*\} 0/)
}

async function removeTomorrow(): Promise<void> {
  const partitions = await query(
    `select name from posthorn.partitions_before((now() at time zone 'UTC')::date + 2)
     where right(name, 8) = to_char((now() at time zone 'UTC')::date + 1, 'YYYYMMDD')`,
  )
  for (const { name } of partitions) await dropPartition(database.pool, name)
}

async function missing(): Promise<string[]> {
  const found = await query(
    `select parent_name from posthorn.missing_partitions(
       (now() at time zone 'UTC')::date + 1, (now() at time zone 'UTC')::date + 1)`,
  )
  return found.map((row) => row.parent_name)
}

async function oldPartitions(table = ''): Promise<string[]> {
  const found = await query(
    `select name from posthorn.partitions_before((now() at time zone 'UTC')::date - 39)`,
  )
  return found.map((row) => row.name).filter((name) => name.startsWith(table))
}
