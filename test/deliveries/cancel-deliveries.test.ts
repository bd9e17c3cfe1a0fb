import { expect, test } from 'vitest'
import { SYSTEM } from '../../src/auth/access/actor.ts'
import { parseId } from '../../src/db/ids.ts'
import { cancelDeliveries, cancelNow } from '../../src/deliveries/cancel-deliveries.ts'
import { createPark, releaseBacklog } from '../../src/scheduling/backlog.ts'
import { useApi } from '../graphql/support/api.ts'
import { addWebhook, deliveryIds, publish } from '../graphql/support/rows.ts'
import { countRows, WAITING } from '../support/count-rows.ts'
import { openTransaction } from '../support/transaction.ts'
import { until } from '../support/until.ts'

const api = await useApi()

const countWaiting = () => countRows(api.database.pool, WAITING)

test('the audit log shows the state before a cancellation, also if an attempt was recorded meanwhile', async () => {
  const { pool, prisma } = api.database
  const { organizationId } = await api.tenant()
  await addWebhook(api, organizationId)
  await publish(api, organizationId)
  const [id = ''] = await deliveryIds(api.database, organizationId)
  using recording = await openTransaction(pool)
  await recording.query(
    'update posthorn.deliveries set attempt_count = attempt_count + 1 where id = $1',
    [parseId('delivery', id)],
  )
  const canceling = cancelNow({ sql: pool, actor: SYSTEM }, [parseId('delivery', id) as string])
  await until(async () => (await countWaiting()) === 1, 'the cancellation waits')
  await recording.query('commit')
  await canceling
  const entry = await prisma.auditEntry.findFirstOrThrow({ where: { subjectId: id } })
  expect(entry).toMatchObject({ before: { state: 'retrying' }, after: { state: 'canceled' } })
})

test.each(['release', 'parking'])(
  'a cancellation and the %s of the same deliveries do not deadlock',
  async (other) => {
    const { pipeline, pool, prisma } = api.database
    const { organizationId } = await api.tenant()
    const { id } = await addWebhook(api, organizationId)
    const webhookId = parseId('webhook', id) as string
    for (let i = 0; i < 3; i++) await publish(api, organizationId)
    const rows = await prisma.delivery.findMany({ where: { webhookId }, orderBy: { id: 'asc' } })
    const ids = rows.map((row) => row.id)
    const [first, second, third] = ids
    if (other === 'release') {
      // The release begins with the third, which has priority and the oldest event.
      await pool.query(
        `update posthorn.deliveries set parked_at = now(), parked_reason = 'concurrency_limit', next_attempt_at = null,
         has_priority = id <> $2, event_id = case when id = $3 then $4 else event_id end
       where webhook_id = $1`,
        [webhookId, first, third, rows[0]?.eventId],
      )
      await pool.query(
        'insert into posthorn.webhook_schedules (webhook_id, backlog_since) values ($1, now())',
        [webhookId],
      )
    }
    using client = await openTransaction(pool)
    await client.query('select from posthorn.deliveries where id = $1 for update', [second])
    const park = createPark(pipeline)
    const others =
      other === 'release'
        ? [releaseBacklog(pool, webhookId, 10)]
        : ids.toReversed().map((each) => park({ id: each, reason: 'concurrency_limit' }))
    const both = Promise.all([cancelDeliveries(pool, ids, null), ...others])
    await until(async () => (await countWaiting()) === 2, 'both wait')
    await client.query('commit')
    expect((await both)[0].toSorted()).toEqual(ids)
  },
)
