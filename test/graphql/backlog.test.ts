import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { parseId } from '../../src/db/ids.ts'
import { type Api, openApi } from './support/api.ts'
import { addWebhook, deliveryIds, publish } from './support/rows.ts'

let api: Api
let tenant: Awaited<ReturnType<Api['tenant']>>

beforeAll(async () => {
  api = await openApi()
})
beforeEach(async () => {
  tenant = await api.tenant()
})
afterAll(() => api[Symbol.asyncDispose]())

async function park(ids: readonly string[], reason: string) {
  await api.database.prisma.delivery.updateMany({
    where: { id: { in: ids.map((id) => parseId('delivery', id) as string) } },
    data: { parkedAt: new Date(), parkedReason: reason, nextAttemptAt: null },
  })
}

test('webhooks show the number of parked deliveries, with one statement per page', async () => {
  await addWebhook(api, tenant.organizationId)
  await publish(api, tenant.organizationId, 3)
  const [newest = '', ...others] = await deliveryIds(api.database, tenant.organizationId)
  await addWebhook(api, tenant.organizationId)
  await park(others, 'on_hold')
  const { data, errors } = await api.call(tenant.token, '{ webhooks { nodes { parkedCount } } }')
  expect(errors).toBeUndefined()
  expect(data.webhooks.nodes).toEqual([{ parkedCount: 2 }, { parkedCount: 0 }])
  expect(api.statements.list).toEqual(['authenticate', 'select webhooks', 'count_parked'])
  const { data: one } = await api.call(
    tenant.token,
    `{ delivery(id: "${newest}") { parkedAt parkedReason } }`,
  )
  expect(one.delivery).toEqual({ parkedAt: null, parkedReason: null })
})

test.each(['disabled', 'on_hold', 'concurrency_limit', 'rate_limit', 'ordered'])(
  'a delivery shows the parked reason %s',
  async (reason) => {
    await addWebhook(api, tenant.organizationId)
    await publish(api, tenant.organizationId)
    const [id = ''] = await deliveryIds(api.database, tenant.organizationId)
    await park([id], reason)
    const { data } = await api.call(tenant.token, `{ delivery(id: "${id}") { parkedReason } }`)
    expect(data.delivery.parkedReason).toBe(reason.toUpperCase())
  },
)

test('parkedCount needs deliveries:read', async () => {
  const { token, organizationId } = await api.tenant(['webhooks:read'])
  await addWebhook(api, organizationId)
  const { data, errors } = await api.call(token, '{ webhooks { nodes { id parkedCount } } }')
  expect(data.webhooks.nodes).toMatchObject([{ parkedCount: null }])
  expect(errors).toMatchObject([{ extensions: { code: 'FORBIDDEN' } }])
})
