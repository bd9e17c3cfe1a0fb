import { beforeEach, expect, test } from 'vitest'
import { SYSTEM } from '../../src/auth/access/actor.ts'
import { parseId } from '../../src/db/ids.ts'
import { createRecordAttempt } from '../../src/deliveries/attempts/record-attempt.ts'
import { redeliver } from '../../src/deliveries/delivery.ts'
import { useApi } from '../graphql/support/api.ts'
import { addWebhook, deliveryIds, publish } from '../graphql/support/rows.ts'
import { attemptOf } from '../support/attempts.ts'

let organizationId: string

const api = await useApi()
beforeEach(async () => {
  organizationId = (await api.tenant()).organizationId
})

/** How many jobs of the organization have each priority. */
async function priorities(): Promise<Record<number, number>> {
  const { rows } = await api.database.pool.query(
    `select priority, count(*)::int as n from graphile_worker.jobs as job
     join posthorn.deliveries as d on job.key = posthorn.type_id('msg', d.id)
     where d.organization_id = $1 group by 1`,
    [organizationId],
  )
  return Object.fromEntries(rows.map(({ priority, n }) => [priority, n]))
}

test.each([
  [100, 0],
  [101, 1],
])('%i deliveries at once have the priority %i', async (count, priority) => {
  await addWebhook(api, organizationId)
  await publish(api, organizationId, count)
  expect(await priorities()).toEqual({ [priority]: count })
})

test('a retry has the priority 1, and a redelivery the priority 0', async () => {
  const { pool, prisma } = api.database
  await addWebhook(api, organizationId)
  await publish(api, organizationId)
  const [id = ''] = await deliveryIds(api.database, organizationId)
  const row = await prisma.delivery.findFirstOrThrow({
    where: { id: parseId('delivery', id) as string },
  })
  const next = { kind: 'retry', delayMs: 60_000 } as const
  await createRecordAttempt(pool)(attemptOf(row, 503, { next }))
  expect(await priorities()).toEqual({ 1: 1 })
  await redeliver({ sql: pool, actor: SYSTEM }, [row.id])
  expect(await priorities()).toEqual({ 0: 1 })
})
