import { beforeAll, expect, test } from 'vitest'
import { SYSTEM } from '../../src/access/actor.ts'
import { updateEventType } from '../../src/event-types/edit-event-type.ts'
import { JOINED } from '../support/factories.ts'
import { type Tenant, useApi } from './support/api.ts'
import { document } from './support/document.ts'
import { addAttempt } from './support/rows.ts'

const api = await useApi()
let tenant: Tenant

beforeAll(async () => {
  tenant = await api.tenant()
  for (let i = 0; i < 10; i++) await tenant.addWebhook()
  await tenant.publish(10)
  const ids = await tenant.deliveryIds()
  await Promise.all(ids.map((id) => addAttempt(api.database, id)))
})

test('a page of 50 deliveries with event, webhook and attempts takes 6 statements', async () => {
  const page = document('deliveries', 'DeliveriesPage')
  const data = await tenant.ask(page, { first: 50 })
  expect(data.deliveries.nodes).toHaveLength(50)
  expect(data.deliveries.nodes[49].attempts.nodes).toHaveLength(1)
  expect(api.statements.list.toSorted()).toEqual([
    'authenticate',
    'select attempts',
    'select deliveries',
    'select deliveries',
    'select events',
    'select webhooks',
  ])
})

test('the deliveries of each of ten webhooks take two statements, and their secrets two', async () => {
  const data =
    await tenant.ask(`{ webhooks { nodes { signingSecret { key } expiringSigningSecrets { key }
       deliveries(first: 3) { nodes { id event { id } } } } } }`)
  expect(data.webhooks.nodes).toHaveLength(10)
  for (const { deliveries } of data.webhooks.nodes) expect(deliveries.nodes).toHaveLength(3)
  expect(api.statements.list.toSorted()).toEqual([
    'authenticate',
    'select deliveries',
    'select deliveries',
    'select events',
    'select posthorn.write_audit_entry($1, organization_id,',
    'select signing_secrets',
    'select webhooks',
  ])
})

test('a field selected twice with different arguments takes one more statement, not one per row', async () => {
  const data = await tenant.ask(`{ webhooks { nodes {
         newest: deliveries(first: 1) { nodes { id } } oldest: deliveries(last: 1) { nodes { id } } } } }`)
  for (const { newest, oldest } of data.webhooks.nodes) {
    expect(newest.nodes[0].id > oldest.nodes[0].id).toBe(true)
  }
  expect(api.statements.list).toHaveLength(6)
})

test('events published together are read together, in the order of the input', async () => {
  const events = Array.from({ length: 20 }, (_, n) => ({ type: JOINED, data: { n } }))
  const data = await tenant.ask(document('events', 'PublishEvents'), {
    input: { events },
  })
  const { publishedEvents } = data.publishEvents
  expect(publishedEvents.map(({ event }: { event: { data: object } }) => event.data)).toEqual(
    events.map((event) => event.data),
  )
  expect(api.statements.list).toEqual(['authenticate', 'insert_events', 'select events'])
})

test('a page by a search key takes three statements, and four for deliveries with other conditions', async () => {
  await updateEventType(api.database.prisma, JOINED, { searchKeys: ['$.i'] }, SYSTEM)
  await tenant.publish()
  const key = 'key: { path: "$.i", equals: "0" }'
  const statements = async (list: string) => {
    const { errors } = await tenant.call(`{ ${list} { nodes { id } } }`)
    expect(errors).toBeUndefined()
    const [authenticate, keys, ...rest] = api.statements.list
    expect([authenticate, keys]).toEqual(['authenticate', 'find_search_keys'])
    return rest.length
  }
  expect(await statements(`events(filter: { ${key} })`)).toBe(2)
  expect(await statements(`deliveries(filter: { ${key} })`)).toBe(2)
  expect(await statements(`deliveries(filter: { ${key}, states: QUEUED })`)).toBe(3)
})
