import { expect, test } from 'vitest'
import { sweep } from '../../src/deliveries/sweep.ts'
import { publish } from '../scheduling/support/backlog.ts'
import { testEnvironment } from '../support/app.ts'
import { useTestDatabase } from '../support/database.ts'
import { createTenant, JOINED, subscribe } from '../support/factories.ts'
import { deliveryJobs } from '../support/jobs.ts'
import { startPosthorn } from '../support/posthorn-process.ts'
import { until } from '../support/until.ts'

const database = await useTestDatabase()

const PAYLOADS = [null, {}, [{ webhookId: 'wh_1' }], 'text', { webhookId: 7, taskId: null }]

test('a job of another program fails, and the worker goes on', async () => {
  const { pool } = database
  const add = (task: string, payload: unknown, key: string | null) =>
    pool.query(`select graphile_worker.add_job($1, $2::json, job_key := $3, max_attempts := 1)`, [
      `posthorn:${task}`,
      JSON.stringify(payload),
      key,
    ])
  await add('deliver', {}, 'their-key')
  for (const payload of PAYLOADS) {
    for (const task of ['deliver', 'release_backlog', 'continue_bulk_task']) {
      await add(task, payload, null)
    }
  }
  for (const task of ['maintain', 'sweep', 'roll_up', 'send_alerts', 'check_jobs']) {
    await add(task, null, null)
  }
  await using _worker = startPosthorn(['start', '--role', 'worker'], {
    environment: testEnvironment(database.url),
  })
  await until(
    async () => {
      const { rows } = await pool.query(
        `select from graphile_worker.jobs where locked_at is not null or attempts < max_attempts`,
      )
      return rows.length === 0
    },
    'every job has run',
    60_000,
  )
  // The maintenance completes failed jobs of deliveries without a key. Posthorn's own jobs, such as that of the maintenance,
  // have no error.
  const { rows } = await pool.query<{ task: string; error: string }>(
    `select task_identifier as task, last_error as error from graphile_worker.jobs
     where last_error is not null and (key is not null or task_identifier <> 'posthorn:deliver')`,
  )
  expect(rows).toHaveLength(2 * PAYLOADS.length + 1)
  expect(rows.find(({ task }) => task === 'posthorn:deliver')?.error).toBe(
    'The job names no delivery: msg_…. If another program added it, complete it.',
  )
})

test('a delivery whose key another program used for its own job gets its job again', async () => {
  const { pool, prisma } = database
  const { organizationId, publicOrganizationId } = await createTenant(prisma)
  await subscribe(database, organizationId, [JOINED])
  await publish(pool, publicOrganizationId, 1)
  const job = (await deliveryJobs(pool)).at(-1)
  await pool.query(`select graphile_worker.add_job('theirs', '{}', job_key := $1)`, [job?.key])
  const options = { recheckAfterMs: 0, olderThanMs: -60_000, pauseFactor: 0 }
  const { restored } = await sweep(pool, 'graphile_worker', options)
  expect(restored).toEqual([job?.key])
  expect((await deliveryJobs(pool)).at(-1)).toMatchObject({ key: job?.key, attempts: 0 })
})
