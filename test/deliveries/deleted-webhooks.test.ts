import { expect, test } from 'vitest'
import { parseId } from '../../src/db/ids.ts'
import { continueCancelation } from '../../src/deliveries/continue-cancelation.ts'
import { sweep } from '../../src/deliveries/sweep.ts'
import { backgroundQueue } from '../../src/queue/background.ts'
import { deleteWebhook } from '../../src/webhooks/webhook.ts'
import { useApi } from '../graphql/support/api.ts'
import { addWebhook, publish } from '../graphql/support/rows.ts'

// Of its own, as sweeps restore the jobs of all organizations.
const api = await useApi('own')

/** A webhook with `count` pending deliveries. */
async function createPending(count: number) {
  const { organizationId } = await api.tenant()
  const { id } = await addWebhook(api, organizationId)
  for (let left = count; left > 0; left -= 500) {
    await publish(api, organizationId, Math.min(left, 500))
  }
  return { organizationId, id, uuid: parseId('webhook', id) as string }
}

type Webhook = Awaited<ReturnType<typeof createPending>>

const remove = ({ organizationId, id }: Webhook) =>
  deleteWebhook(api.deps.webhooks, organizationId, id)

async function countStates({ uuid }: Webhook): Promise<Record<string, number>> {
  const { rows } = await api.database.pool.query<{ state: string; n: number }>(
    `select state, count(*)::int as n from posthorn.deliveries where webhook_id = $1 group by 1`,
    [uuid],
  )
  return Object.fromEntries(rows.map(({ state, n }) => [state, n]))
}

async function cancelJobs({ id }: Webhook) {
  const { rows } = await api.database.pool.query<{ id: string; queue: string }>(
    `select id, queue_name as queue from graphile_worker.jobs where key = 'cancel:' || $1`,
    [id],
  )
  return rows
}

/** Completes the job as an operator does, which only removes it. */
async function completeJobs(webhook: Webhook): Promise<void> {
  const ids = (await cancelJobs(webhook)).map(({ id }) => id)
  await api.database.pool.query('select graphile_worker.complete_jobs($1::bigint[])', [ids])
}

const reported: number[] = []
/** Runs one page of the job, as its signal is aborted. */
const runJob = ({ uuid }: Webhook) =>
  continueCancelation(api.database.background, uuid, null, AbortSignal.abort(), ({ count }) => {
    reported.push(count)
  })

test('the deliveries of a deleted webhook are canceled in pages of 500, whose jobs have the queue of the organization', async () => {
  const webhook = await createPending(1_200)
  await remove(webhook)
  const queued = [{ queue: backgroundQueue(webhook.organizationId) }]
  expect(await cancelJobs(webhook)).toMatchObject(queued)
  await completeJobs(webhook)
  await runJob(webhook)
  expect(await countStates(webhook)).toEqual({ pending: 700, canceled: 500 })
  expect(await cancelJobs(webhook)).toMatchObject(queued)
  await runJob(webhook)
  await runJob(webhook)
  expect(await countStates(webhook)).toEqual({ canceled: 1_200 })
  expect(reported).toEqual([500, 500, 200])
  const { rows } = await api.database.pool.query(
    `select from graphile_worker.jobs as job join posthorn.deliveries as d
       on job.key = posthorn.type_id('msg', d.id) where d.webhook_id = $1`,
    [webhook.uuid],
  )
  expect(rows, 'canceled deliveries have no job').toEqual([])
})

test('a webhook that is not deleted keeps its deliveries, also if another program adds the job', async () => {
  const webhook = await createPending(3)
  await runJob(webhook)
  expect(await countStates(webhook)).toEqual({ pending: 3 })
  expect(await cancelJobs(webhook)).toEqual([])
})

test('a sweep cancels what was published during the deletion, parked or not, and creates no jobs for it', async () => {
  const webhook = await createPending(3)
  await remove(webhook)
  await completeJobs(webhook)
  const { pool } = api.database
  // As if the transaction that published had committed after the cancelation.
  await pool.query(
    `update posthorn.deliveries set parked_at = now(), parked_reason = 'ordered', next_attempt_at = null
     where id = (select id from posthorn.deliveries where webhook_id = $1 limit 1)`,
    [webhook.uuid],
  )
  await pool.query(
    `select graphile_worker.complete_jobs(array(
       select job.id from graphile_worker.jobs as job join posthorn.deliveries as d
         on job.key = posthorn.type_id('msg', d.id) where d.webhook_id = $1))`,
    [webhook.uuid],
  )
  // As the backfill does after a minute.
  await pool.query('update posthorn.deliveries set is_backfilled = true where webhook_id = $1', [
    webhook.uuid,
  ])
  const options = { recheckAfterMs: 0, olderThanMs: -60_000, pauseFactor: 0 }
  const { restored } = await sweep(pool, 'graphile_worker', options)
  expect(restored).toEqual([])
  const [job] = await cancelJobs(webhook)
  expect(job?.queue).toBe(backgroundQueue(webhook.organizationId))
  await sweep(pool, 'graphile_worker', options)
  expect(await cancelJobs(webhook), 'a job that waits is not replaced').toEqual([job])
  await runJob(webhook)
  expect(await countStates(webhook)).toEqual({ canceled: 3 })
  await completeJobs(webhook)
  await sweep(pool, 'graphile_worker', options)
  expect(await cancelJobs(webhook)).toEqual([])
})
