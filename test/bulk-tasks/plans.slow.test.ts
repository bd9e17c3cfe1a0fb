import { expect, test } from 'vitest'
import { changeDeliveries } from '../../src/bulk-tasks/change-deliveries.ts'
import type { Sql } from '../../src/db/client.ts'
import { parseId } from '../../src/db/ids.ts'
import { runPage } from '../../src/queue/long-work.ts'
import { updateWebhook } from '../../src/webhooks/save-webhook.ts'
import { useApi } from '../graphql/support/api.ts'
import { collect } from '../graphql/support/plans.ts'
import { JOINED, TICKET } from '../support/factories.ts'
import { until } from '../support/until.ts'
import { addDeliveries, addEvents, createPartitionsOfRetention, workDeps } from './rows.ts'

/** A page reads 2,000 rows. More than this limit means a scan. */
const MAX_ROWS = 5_000

const COUNT = 100_000
const at = new Date(Date.now() - 2 * 86_400_000)

const api = await useApi('own')
const { pool } = api.database
await createPartitionsOfRetention(pool)
await keepFromStatistics(pool)
const { organizationId, addWebhook } = await api.tenant()
const { id: webhookId } = await addWebhook()
// The only event of the second type is later than all others.
await updateWebhook(api.deps.webhooks, organizationId, webhookId, {
  eventSubscriptions: [JOINED, TICKET],
})
const events = await addEvents(pool, organizationId, { at, count: COUNT })
await addDeliveries(pool, webhookId, events.slice(0, -1_000), 'succeeded')
await addDeliveries(pool, webhookId, events.slice(-1_000, -500), 'exhausted')
const anHourLater = new Date(at.getTime() + 3_600_000)
await addEvents(pool, organizationId, { at: anHourLater, type: TICKET })

test.each([
  ['missed events', 'without statistics'],
  ['failed deliveries', 'without statistics'],
  ['missed events', 'with statistics'],
  ['failed deliveries', 'with statistics'],
])(
  'every page of a redelivery of %s reads at most a few thousand of 100,000 deliveries, %s',
  async (what, statistics) => {
    if (statistics === 'with statistics') await api.database.pool.query('analyze')
    await api.database.pool.query(
      `update posthorn.deliveries set state = 'exhausted', finished_at = now(), next_attempt_at = null
       where webhook_id = $1 and state = 'pending' and attempt_count > 0`,
      [parseId('webhook', webhookId)],
    )
    const selected =
      what === 'missed events'
        ? { missed: { webhookId, since: at } }
        : { filter: { webhookIds: [webhookId], states: ['exhausted' as const], since: at } }
    const input = { ...selected, ratePerSecond: 5_000 }
    const { taskId } = await changeDeliveries(api.deps, organizationId, 'redeliver', input, null)
    const taskUuid = parseId('bulkTask', taskId as string) as string
    let explained = 0
    // The recovery waits for transactions that were open at its start, on a shared server also for those of other
    // tests.
    await until(async () => {
      api.statements.clear()
      await api.database.prisma.bulkTask.update({
        where: { id: taskUuid },
        data: { nextPageAt: new Date(0) },
      })
      await runPage(workDeps({ background: api.database.pool }), taskUuid)
      for (const { text, values } of [...api.statements.full]) {
        if (!/^\s*with\s+(subject|scanned|webhook|page) as materialized/.test(text)) continue
        expect(await readsOf(text, values)).toEqual([])
        explained++
      }
      return explained >= 4
    }, 'four pages are queued')
    await api.database.prisma.bulkTask.update({
      where: { id: taskUuid },
      data: { state: 'canceled', finishedAt: new Date() },
    })
  },
  120_000,
)

/** Autovacuum counts the rows of a partition some time before it analyzes their values: then there are half of the statistics. */
async function keepFromStatistics(sql: Sql): Promise<void> {
  await sql.query(`
    do $$ declare partition regclass; begin
      for partition in
        select oid from pg_class where relnamespace = 'posthorn_partitions'::regnamespace and relkind = 'r'
      loop
        execute format('alter table %s set (autovacuum_enabled = off)', partition);
      end loop;
    end $$`)
}

/** The plan nodes of a statement that read too many rows. Rolls back the statement. */
async function readsOf(text: string, values: readonly unknown[]): Promise<string[]> {
  const client = await api.database.pool.connect()
  try {
    await client.query('begin')
    const { rows } = await client.query(`explain (analyze, format json, timing off) ${text}`, [
      ...values,
    ])
    await client.query('rollback')
    const found: string[] = []
    const counts = (relation: string) => /^(events|deliveries)_/.test(relation)
    collect(rows[0]['QUERY PLAN'][0].Plan, counts, found, MAX_ROWS)
    return found
  } finally {
    client.release()
  }
}
