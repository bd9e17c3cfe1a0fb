import { afterAll, beforeAll, expect, test } from 'vitest'
import { parseId } from '../../src/db/ids.ts'
import { type Api, openApi } from '../graphql/support/api.ts'
import { addAttempt, addWebhook, deliveryIds, publish } from '../graphql/support/rows.ts'

let api: Api
let token: string
let webhookId: string
/** One delivery in each of these states. */
let retrying: string
let onHold: string
let succeeded: string

beforeAll(async () => {
  api = await openApi()
  const tenant = await api.tenant()
  token = tenant.token
  webhookId = (await addWebhook(api, tenant.organizationId)).id
  await publish(api, tenant.organizationId, 4)
  ;[, retrying = '', onHold = '', succeeded = ''] = await deliveryIds(
    api.database,
    tenant.organizationId,
  )
  await addAttempt(api.database, retrying)
  await set(onHold, `parked_at = now(), parked_reason = 'on_hold', next_attempt_at = null`)
  await set(succeeded, `state = 'succeeded', finished_at = now(), next_attempt_at = null`)
})
afterAll(() => api[Symbol.asyncDispose]())

async function set(id: string, columns: string): Promise<void> {
  await api.database.pool.query(`update posthorn.deliveries set ${columns} where id = $1`, [
    parseId('delivery', id),
  ])
}

async function groups(args: object, caller = token) {
  const { data, errors } = await api.call(
    caller,
    `query ($ids: [ID!], $filter: DeliveryFilter) { deliveryGroups(ids: $ids, filter: $filter) {
       state parkedReason count webhookDeleted webhookIds } }`,
    { ids: null, filter: null, ...args },
  )
  expect(errors).toBeUndefined()
  return data.deliveryGroups
}

const group = (state: string, parkedReason: string | null = null) => ({
  state,
  parkedReason,
  count: 1,
  webhookDeleted: false,
  webhookIds: [webhookId],
})

test('deliveries are grouped by state and by what they wait for', async () => {
  expect(await groups({})).toEqual([
    group('QUEUED'),
    group('RETRYING'),
    group('SUCCEEDED'),
    group('WAITING', 'ON_HOLD'),
  ])
  expect(await groups({ filter: { states: ['WAITING'] } })).toEqual([group('WAITING', 'ON_HOLD')])
  expect(await groups({ ids: [retrying, onHold] })).toEqual([
    group('RETRYING'),
    group('WAITING', 'ON_HOLD'),
  ])
})

test('a dry run counts those of the named deliveries that it can change in their states', async () => {
  const count = async (action: string) => {
    const { data } = await api.call(
      token,
      `mutation ($ids: [ID!]) { ${action}Deliveries(input: { ids: $ids, dryRun: true }) {
         ... on ${action === 'cancel' ? 'Cancel' : 'Redeliver'}DeliveriesSuccess { count } } }`,
      { ids: [retrying, onHold, succeeded] },
    )
    return data[`${action}Deliveries`].count
  }
  expect(await count('redeliver')).toBe(2)
  expect(await count('cancel')).toBe(2)
})

test('those of a deleted webhook are a group of their own, and cannot be redelivered', async () => {
  await api.call(token, 'mutation ($id: ID!) { deleteWebhook(id: $id) { __typename } }', {
    id: webhookId,
  })
  expect(await groups({ ids: [succeeded] })).toEqual([
    { ...group('SUCCEEDED'), webhookDeleted: true, webhookIds: [] },
  ])
  const { data } = await api.call(
    token,
    `mutation ($ids: [ID!]) { redeliverDeliveries(input: { ids: $ids, dryRun: true }) {
       ... on RedeliverDeliveriesSuccess { count } } }`,
    { ids: [succeeded] },
  )
  expect(data.redeliverDeliveries.count).toBe(0)
})

test('those of another organization are in no group', async () => {
  const stranger = await api.tenant()
  expect(await groups({ ids: [succeeded] }, stranger.token)).toEqual([])
  expect(await groups({}, stranger.token)).toEqual([])
})

test('an id that is none is rejected', async () => {
  const { errors } = await api.call(token, '{ deliveryGroups(ids: ["wh_x"]) { count } }')
  expect(errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }])
})
