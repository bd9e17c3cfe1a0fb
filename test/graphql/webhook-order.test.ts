import { beforeAll, expect, test } from 'vitest'
import { parseId } from '../../src/db/ids.ts'
import { putOnHold } from '../../src/scheduling/circuit-breaker.ts'
import { updateWebhook } from '../../src/webhooks/webhook.ts'
import { JOINED, TICKET } from '../support/factories.ts'
import { type Tenant, useApi } from './support/api.ts'
import { addWebhook, publish } from './support/rows.ts'

/* Each order of webhooks, and its pages. */

const api = await useApi()
let tenant: Tenant
/** From the newest: `few` waits longest, `many` has the most waiting, the others have nothing. */
const ids = { idle: '', poor: '', slow: '', many: '', few: '' }
const uuidOf = (name: keyof typeof ids) => parseId('webhook', ids[name]) as string

beforeAll(async () => {
  tenant = await api.tenant()
  const { organizationId } = tenant
  const add = async (description: string, eventType: string) => {
    const { id } = await addWebhook(api, organizationId, { eventType })
    await updateWebhook(api.deps.webhooks, organizationId, id, { description })
    return id
  }
  ids.few = await add('Box 10', TICKET)
  ids.many = await add('Box 9', JOINED)
  await putOnHold(api.database.pool, uuidOf('few'))
  await putOnHold(api.database.pool, uuidOf('many'))
  await publish(api, organizationId, 1, TICKET)
  await publish(api, organizationId, 3)
  ids.slow = await add('arrivals', JOINED)
  ids.poor = await add('Zoo', JOINED)
  ids.idle = await add('Éclair', JOINED)
})

test.each([
  ['NEWEST_FIRST', ['idle', 'poor', 'slow', 'many', 'few']],
  ['NAME', ['slow', 'many', 'few', 'idle', 'poor']],
  ['MOST_WAITING', ['many', 'few', 'idle', 'poor', 'slow']],
  ['ATTENTION_FIRST', ['many', 'few', 'idle', 'poor', 'slow']],
])('%s: equal ones newest first', async (order, names) => {
  expect(await listed(order)).toEqual(names)
})

test('MOST_WAITING follows what waits now', async () => {
  await tenant.publish(4, TICKET)
  expect(await listed('MOST_WAITING')).toEqual(['few', 'many', 'idle', 'poor', 'slow'])
})

async function listed(order: string) {
  const { webhooks } = await tenant.ask(`{ webhooks(orderBy: ${order}) { nodes { id } } }`)
  const names = new Map(Object.entries(ids).map(([name, id]) => [id, name]))
  return webhooks.nodes.map(({ id }: { id: string }) => names.get(id))
}
