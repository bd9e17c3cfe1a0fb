import { expect, test } from 'vitest'
import { parseId } from '../../src/db/ids.ts'
import { useApi, useTenant } from './support/api.ts'

const api = await useApi()
const tenant = useTenant(api)

async function park(ids: readonly string[], reason: string) {
  await api.database.prisma.delivery.updateMany({
    where: { id: { in: ids.map((id) => parseId('delivery', id) as string) } },
    data: { parkedAt: new Date(), parkedReason: reason, nextAttemptAt: null },
  })
}

test('webhooks show the size of their backlog and the oldest delivery in it, with the same statements for any page', async () => {
  await tenant.addWebhook()
  await tenant.publish(3)
  const [newest = '', ...others] = await tenant.deliveryIds()
  await tenant.addWebhook()
  await park(others, 'on_hold')
  const data = await tenant.ask('{ webhooks { nodes { backlog { count oldest { id state } } } } }')
  expect(data.webhooks.nodes).toEqual([
    { backlog: { count: 0, oldest: null } },
    { backlog: { count: 2, oldest: { id: others.at(-1), state: 'WAITING' } } },
  ])
  expect(api.statements.list).toHaveLength(5)
  const one = await tenant.ask(`{ delivery(id: "${newest}") { parkedAt parkedReason } }`)
  expect(one.delivery).toEqual({ parkedAt: null, parkedReason: null })
})
