import { expect, test } from 'vitest'
import { useApi } from './support/api.ts'
import { addAttempt } from './support/rows.ts'

const api = await useApi()
const operator = await api.tenant(['admin'])
const one = await busyTenant()
const two = await busyTenant()

/** An organization with a webhook, an event, a delivery and a failed attempt. */
async function busyTenant() {
  const tenant = await api.tenant()
  const { id: webhook } = await tenant.addWebhook()
  const [event = ''] = await tenant.publish()
  const [delivery = ''] = await tenant.deliveryIds()
  return { ...tenant, webhook, event, delivery, attempt: await addAttempt(api.database, delivery) }
}

const CONTENTS = `
  webhooks(first: 2) { nodes { id signingSecret { key } lastFailure { id }
    deliveries(first: 2) { nodes { id event { id } attempts(first: 2) { nodes { id } } } } } }
  events(first: 2) { nodes { id deliveryCounts { total } deliveries(first: 2) { nodes { id } } } }
  failures(filter: { since: "2020-01-01T00:00:00Z" }) { sample { id } }
  apiKeys { nodes { organization { id } } }`

function contentsOf({ webhook, event, delivery, attempt, publicOrganizationId }: typeof one) {
  const nodes = (...given: object[]) => ({ nodes: given })
  const own = { id: delivery, event: { id: event }, attempts: nodes({ id: attempt }) }
  const signingSecret = { key: expect.stringMatching(/^whsec_/) }
  const lastFailure = { id: attempt }
  return {
    webhooks: nodes({ id: webhook, signingSecret, lastFailure, deliveries: nodes(own) }),
    events: nodes({ id: event, deliveryCounts: { total: 1 }, deliveries: nodes({ id: delivery }) }),
    failures: [{ sample: { id: attempt } }],
    apiKeys: nodes({ organization: { id: publicOrganizationId } }),
  }
}

test('an operator sees several organizations in one request, each with its own', async () => {
  const query = `query ($one: ID!, $two: ID!) {
    one: organization(id: $one) { ${CONTENTS} } two: organization(id: $two) { ${CONTENTS} }
    organizations(first: 2) { nodes { id events(first: 2) { nodes { deliveries { nodes { id } } } } } } }`
  const ids = { one: one.publicOrganizationId, two: two.publicOrganizationId }
  const data = await operator.ask(query, ids)
  expect(data.one).toEqual(contentsOf(one))
  expect(data.two).toEqual(contentsOf(two))
  const eventsOf = ({ delivery }: typeof one) => ({
    nodes: [{ deliveries: { nodes: [{ id: delivery }] } }],
  })
  expect(data.organizations.nodes).toEqual([
    { id: ids.two, events: eventsOf(two) },
    { id: ids.one, events: eventsOf(one) },
  ])
})
