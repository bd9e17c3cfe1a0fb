import { afterAll, beforeAll, expect, test } from 'vitest'
import { parseId } from '../../src/db/ids.ts'
import { type Api, openApi } from './support/api.ts'
import { addAttempt, addWebhook, deliveryIds, publish } from './support/rows.ts'

let api: Api

beforeAll(async () => {
  api = await openApi()
})
afterAll(() => api[Symbol.asyncDispose]())

type Tenant = Awaited<ReturnType<Api['tenant']>>

const NONE = {
  webhookCreated: false,
  testDelivered: false,
  eventPublished: false,
  eventDelivered: false,
}

async function stepsOf({ token }: Tenant) {
  const { data, errors } = await api.call(
    token,
    '{ firstSteps { webhookCreated testDelivered eventPublished eventDelivered } }',
  )
  expect(errors).toBeUndefined()
  return data.firstSteps
}

/** The state of a webhook after a success, such as that of a test event. */
async function noteSuccess(webhook: string, ago: string): Promise<void> {
  await api.database.pool.query(
    `insert into posthorn.webhook_conditions (webhook_id, last_success_at) values ($1, now() - $2::interval)
     on conflict (webhook_id) do update set last_success_at = excluded.last_success_at`,
    [parseId('webhook', webhook), ago],
  )
}

async function succeed({ organizationId }: Tenant, isTest: boolean): Promise<void> {
  const [id = ''] = await deliveryIds(api.database, organizationId)
  await api.database.prisma.delivery.updateMany({
    where: { id: parseId('delivery', id) as string },
    data: { state: 'succeeded', finishedAt: new Date(), nextAttemptAt: null, isTest },
  })
}

test('each step of an organization is done when the server knows it, and those of others stay', async () => {
  const tenant = await api.tenant()
  const other = await api.tenant()
  expect(await stepsOf(tenant)).toEqual(NONE)
  const { id } = await addWebhook(api, tenant.organizationId)
  expect(await stepsOf(tenant)).toEqual({ ...NONE, webhookCreated: true })
  await noteSuccess(id, '1 minute')
  const tested = { ...NONE, webhookCreated: true, testDelivered: true }
  expect(await stepsOf(tenant)).toEqual(tested)
  await publish(api, tenant.organizationId)
  expect(await stepsOf(tenant)).toEqual({ ...tested, eventPublished: true })
  await succeed(tenant, false)
  expect(await stepsOf(tenant)).toEqual({ ...tested, eventPublished: true, eventDelivered: true })
  expect(await stepsOf(other)).toEqual(NONE)
})

test('a failed delivery of an event is no success, and neither is that of a test event', async () => {
  const tenant = await api.tenant()
  await addWebhook(api, tenant.organizationId)
  await publish(api, tenant.organizationId)
  const [delivery = ''] = await deliveryIds(api.database, tenant.organizationId)
  await addAttempt(api.database, delivery)
  expect((await stepsOf(tenant)).eventDelivered).toBe(false)
  await succeed(tenant, true)
  expect((await stepsOf(tenant)).eventDelivered).toBe(false)
})

test('the steps of an idle organization stay done, though its deliveries are deleted', async () => {
  const tenant = await api.tenant()
  const { id } = await addWebhook(api, tenant.organizationId)
  await noteSuccess(id, '23 hours')
  expect((await stepsOf(tenant)).eventDelivered).toBe(false)
  await noteSuccess(id, '25 hours')
  expect((await stepsOf(tenant)).eventDelivered).toBe(true)
})

test('the steps need webhooks:read', async () => {
  const { token } = await api.tenant(['events:read'])
  const { errors } = await api.call(token, '{ firstSteps { webhookCreated } }')
  expect(errors).toMatchObject([{ extensions: { code: 'FORBIDDEN' } }])
})
