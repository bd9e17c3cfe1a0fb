import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { continueBulkTask } from '../../src/bulk-tasks/continue-bulk-task.ts'
import { mintId, parseId } from '../../src/db/ids.ts'
import { type Api, openApi } from '../graphql/support/api.ts'
import { addWebhook, publish } from '../graphql/support/rows.ts'

const MIGRATION = '../../prisma/migrations/20261130000100_bulk_tasks/migration.sql'

let api: Api

/** A database as 0.2.0 leaves it: with its tables, and without those of the migration. */
beforeAll(async () => {
  api = await openApi()
  await api.database.pool.query(
    `drop table posthorn.bulk_tasks, posthorn.bulk_task_items;
     drop type posthorn.bulk_task_action, posthorn.bulk_task_state;
     drop function posthorn.delete_old_bulk_tasks`,
  )
})
afterAll(() => api[Symbol.asyncDispose]())

test('the recoveries and tasks of 0.2.0 become bulk tasks, and those that run continue', async () => {
  const { pool, prisma } = api.database
  const { organizationId } = await api.tenant()
  const webhookUuid = parseId('webhook', (await addWebhook(api, organizationId)).id)
  await publish(api, organizationId, 2)
  await pool.query(
    `update posthorn.deliveries set state = 'exhausted', finished_at = now(), next_attempt_at = null`,
  )
  const [recovery, finished, cancelation] = [1, 2, 3].map(() =>
    parseId('bulkTask', mintId('bulkTask')),
  )
  await pool.query(
    `insert into posthorn.recoveries (id, organization_id, webhook_id, since, until, include, rate_per_second, state,
       total, total_is_exact, redelivered, created, step, reached_id, finished_at)
     select id, $1, $2, now() - interval '1 hour', now() + interval '1 minute', 'failed', 500, state, 2, true, n, n,
       'failed', posthorn.uuid_v7_lower_bound(now() - interval '1 hour'), case when state = 'completed' then now() end
     from (values ($3::uuid, 'running'::posthorn.recovery_state, 0), ($4, 'completed', 1)) as recovery (id, state, n)`,
    [organizationId, webhookUuid, recovery, finished],
  )
  await pool.query(
    `insert into posthorn.recovery_failures (recovery_id, delivery_id) select $1, id from posthorn.deliveries limit 1`,
    [finished],
  )
  await pool.query(
    `insert into posthorn.delivery_tasks (id, organization_id, action, filter, rate_per_second, state, total,
       total_is_exact, changed, canceled, finished_at)
     values ($2, $1, 'cancel', '{"states": ["queued"]}', 100, 'completed', 3, true, 3, 3, now())`,
    [organizationId, cancelation],
  )
  await pool.query(
    `select graphile_worker.add_job('posthorn:recover_deliveries', '{}', job_key := posthorn.type_id('rec', $1))`,
    [recovery],
  )

  const migration = await readFile(new URL(MIGRATION, import.meta.url), 'utf8')
  await pool.query(
    `begin; set local search_path to posthorn, graphile_worker; ${migration}; commit`,
  )

  expect(await prisma.bulkTask.findMany({ orderBy: { id: 'asc' } })).toMatchObject([
    { id: recovery, action: 'recover', state: 'running', webhookId: webhookUuid },
    { id: finished, action: 'recover', state: 'completed', changed: 2, created: 1 },
    { id: cancelation, action: 'cancel', state: 'completed', changed: 3, canceled: 3 },
  ])
  const { rows: items } = await pool.query(
    'select task_id, exhausted from posthorn.bulk_task_items',
  )
  expect(items).toEqual([{ task_id: finished, exhausted: true }])
  const { rows: jobs } = await pool.query(
    `select task_identifier as task from graphile_worker.jobs where key = posthorn.type_id('rec', $1)`,
    [recovery],
  )
  expect(jobs).toEqual([{ task: 'posthorn:continue_bulk_task' }])
  await continueBulkTask(api.database.background, recovery as string, undefined, () => {})
  expect(await prisma.bulkTask.findFirst({ where: { id: recovery as string } })).toMatchObject({
    changed: 2,
  })
})
