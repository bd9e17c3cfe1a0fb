import { expect, test } from 'vitest'
import { JOINED } from '../support/factories.ts'
import { useApi } from './support/api.ts'
import { document } from './support/document.ts'

const api = await useApi()
const tenant = await api.tenant()
for (let i = 0; i < 10; i++) await tenant.addWebhook()
await tenant.publish(10)

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
    'select posthorn.write_audit_entry($1, "organizationId",',
    'select signing_secrets',
    'select webhooks',
  ])
})

test('events published together are read together, in the order of the input', async () => {
  const events = Array.from({ length: 20 }, (_, n) => ({ type: JOINED, data: { n } }))
  const data = await tenant.ask(document('events', 'PublishEvents'), { input: { events } })
  const { publishedEvents } = data.publishEvents
  expect(publishedEvents.map(({ event }: { event: { data: object } }) => event.data)).toEqual(
    events.map((event) => event.data),
  )
  expect(api.statements.list).toEqual(['authenticate', 'insert_events', 'select events'])
})
