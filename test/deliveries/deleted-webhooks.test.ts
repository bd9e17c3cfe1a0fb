import { expect, test } from 'vitest'
import { parseId } from '../../src/db/ids.ts'
import { backgroundQueue, restartWorks } from '../../src/queue/long-work.ts'
import { deleteWebhook } from '../../src/webhooks/webhook.ts'
import { runJob } from '../bulk-tasks/rows.ts'
import { useApi } from '../graphql/support/api.ts'
import { addWebhook, publish } from '../graphql/support/rows.ts'
import { openTransaction } from '../support/transaction.ts'
import { until } from '../support/until.ts'

// Of its own, so that no transaction of another test is open.
const api = await useApi('own')
const { pool, prisma } = api.database

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
  const { rows } = await pool.query<{ state: string; n: number }>(
    `select state, count(*)::int as n from posthorn.deliveries where webhook_id = $1 group by 1`,
    [uuid],
  )
  return Object.fromEntries(rows.map(({ state, n }) => [state, n]))
}

const taskOf = ({ uuid }: Webhook) =>
  prisma.bulkTask.findFirstOrThrow({ where: { webhookId: uuid, action: 'delete_webhook' } })

async function jobsOf(webhook: Webhook) {
  const { rows } = await pool.query<{ id: string; queue: string }>(
    `select id, queue_name as queue from graphile_worker.jobs where key = posthorn.type_id('task', $1)`,
    [(await taskOf(webhook)).id],
  )
  return rows
}

/** Completes the job as an operator does, which only removes it. */
async function completeJobs(webhook: Webhook): Promise<void> {
  const ids = (await jobsOf(webhook)).map(({ id }) => id)
  await pool.query('select graphile_worker.complete_jobs($1::bigint[])', [ids])
}

const finish = async (webhook: Webhook) =>
  await until(async () => {
    const { id, state } = await taskOf(webhook)
    if (state === 'running') await runJob(api.database, id)
    return state === 'completed'
  }, 'the deliveries are canceled')

test('the deliveries of a deleted webhook are canceled in pages, whose jobs have the queue of the organization', async () => {
  const webhook = await createPending(1_200)
  await remove(webhook)
  const queued = [{ queue: backgroundQueue(webhook.organizationId) }]
  expect(await jobsOf(webhook)).toMatchObject(queued)
  await completeJobs(webhook)
  expect(await restartWorks(pool, 'graphile_worker')).toBe(1)
  expect(await restartWorks(pool, 'graphile_worker'), 'a job that waits is not replaced').toBe(0)
  expect(await jobsOf(webhook)).toMatchObject(queued)
  await finish(webhook)
  expect(await countStates(webhook)).toEqual({ canceled: 1_200 })
  expect(await taskOf(webhook)).toMatchObject({ changed: 1_200, canceled: 1_200 })
  const { rows } = await pool.query(
    `select from graphile_worker.jobs as job join posthorn.deliveries as d
       on job.key = posthorn.type_id('msg', d.id) where d.webhook_id = $1`,
    [webhook.uuid],
  )
  expect(rows, 'canceled deliveries have no job').toEqual([])
})

test('the deliveries of another webhook stay', async () => {
  const webhook = await createPending(2)
  const { id } = await addWebhook(api, webhook.organizationId)
  await publish(api, webhook.organizationId, 3)
  await remove(webhook)
  await finish(webhook)
  expect(await countStates(webhook)).toEqual({ canceled: 5 })
  const other = { ...webhook, id, uuid: parseId('webhook', id) as string }
  expect(await countStates(other)).toEqual({ pending: 3 })
})

test('what a transaction publishes that was open during the deletion is canceled after its commit, also behind the cursor', async () => {
  const webhook = await createPending(3)
  using host = await openTransaction(pool)
  const { rows } = await host.query<{ id: string }>(
    `insert into posthorn.deliveries (id, organization_id, webhook_id, event_id, event_type, max_attempts,
       parked_at, parked_reason)
     select posthorn.uuid_v7(), organization_id, webhook_id, event_id, event_type, max_attempts, now(), 'ordered'
     from posthorn.deliveries where webhook_id = $1 limit 1 returning id`,
    [webhook.uuid],
  )
  await publish(api, webhook.organizationId, 1)
  await remove(webhook)
  for (let page = 0; page < 3; page++) await runJob(api.database, (await taskOf(webhook)).id)
  expect(await taskOf(webhook)).toMatchObject({ state: 'running', canceled: 4 })
  await host.query('commit')
  expect(rows).toHaveLength(1)
  await finish(webhook)
  expect(await countStates(webhook)).toEqual({ canceled: 5 })
})
