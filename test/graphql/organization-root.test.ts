import { isObjectType } from 'graphql'
import { beforeAll, expect, test } from 'vitest'
import { schema } from '../../src/server/schema.ts'
import { type Tenant, useApi } from './support/api.ts'
import { addAttempt } from './support/rows.ts'

const api = await useApi()
let operator: Tenant
let one: Awaited<ReturnType<typeof busyTenant>>
let two: Awaited<ReturnType<typeof busyTenant>>

beforeAll(async () => {
  operator = await api.tenant(['admin'])
  one = await busyTenant()
  two = await busyTenant()
})

/** An organization with a webhook, an event, a delivery and a failed attempt. */
async function busyTenant() {
  const tenant = await api.tenant()
  const { id: webhook } = await tenant.addWebhook()
  const [event = ''] = await tenant.publish()
  const [delivery = ''] = await tenant.deliveryIds()
  return { ...tenant, webhook, event, delivery, attempt: await addAttempt(api.database, delivery) }
}

const CONTENTS = `
  webhooks(first: 2) { totalCount nodes {
    id signingSecret { key } lastFailure { id webhook { id } } holds(since: "2020-01-01T00:00:00Z") { startedAt }
    deliveries(first: 2) { nodes { id webhook { id } event { id } attempts(first: 2) { nodes { id webhook { id } } } } }
    attempts(first: 2) { nodes { id } }
  } }
  events(first: 2) { nodes { id deliveryCounts { total } deliveries(first: 2) { nodes { id } } } }
  failures(filter: { since: "2020-01-01T00:00:00Z" }) { nodes { webhook { id } sample { id } } }
  apiKeys { nodes { organization { id } } }
  statistics(since: "2020-01-01T00:00:00Z", until: "2020-01-02T00:00:00Z", bucket: DAY) { attempts }`

function contentsOf({ webhook, event, delivery, attempt, publicOrganizationId }: typeof one) {
  const named = { id: webhook }
  const attempts = { nodes: [{ id: attempt, webhook: named }] }
  return {
    webhooks: {
      totalCount: 1,
      nodes: [
        {
          id: webhook,
          signingSecret: { key: expect.stringMatching(/^whsec_/) },
          lastFailure: { id: attempt, webhook: named },
          holds: [],
          deliveries: {
            nodes: [{ id: delivery, webhook: named, event: { id: event }, attempts }],
          },
          attempts: { nodes: [{ id: attempt }] },
        },
      ],
    },
    events: {
      nodes: [
        { id: event, deliveryCounts: { total: 1 }, deliveries: { nodes: [{ id: delivery }] } },
      ],
    },
    failures: { nodes: [{ webhook: named, sample: { id: attempt } }] },
    apiKeys: { nodes: [{ organization: { id: publicOrganizationId } }] },
    statistics: [{ attempts: 0 }],
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

test('each revealed secret is in the audit log of its organization', async () => {
  const data = await operator.ask(
    'query ($id: ID!) { organization(id: $id) { auditLog(filter: { actions: "signing_secret.revealed" }) { nodes { subjectId } } } }',
    { id: two.publicOrganizationId },
  )
  expect(data.organization.auditLog.nodes).toEqual([{ subjectId: two.webhook }])
})

test('without admin, a caller reaches its own organization only', async () => {
  const id = two.publicOrganizationId
  const asked = await api.call(
    one.token,
    `{ organization(id: "${id}") { webhooks { nodes { id } } } }`,
  )
  expect(asked).toMatchObject({
    data: { organization: null },
    errors: [{ extensions: { code: 'FORBIDDEN' } }],
  })
  const node = (organization: string) =>
    api.call(
      one.token,
      `{ node(id: "${organization}") { ... on Organization { webhooks { nodes { id } } } } }`,
    )
  expect((await node(id)).data).toEqual({ node: null })
  expect((await node(one.publicOrganizationId)).data.node.webhooks.nodes).toEqual([
    { id: one.webhook },
  ])
})

/** Fields of `Query` that belong to no organization, and why. */
const OF_NONE: Readonly<Record<string, string>> = {
  defaultSettings: 'of the installation',
  eventTypes: 'all organizations share the catalogue',
  jobs: 'of the installation',
  node: 'finds any object',
  nodes: 'finds any object',
  operationalEvents: 'of the installation',
  organization: 'finds an organization',
  organizationDeletions: 'finds deletions of organizations',
  organizations: 'finds organizations',
  viewer: 'the caller',
}

test('what Query has of an organization, Organization has too', () => {
  const [query, organization] = ['Query', 'Organization'].map((name) => {
    const type = schema.getType(name)
    return new Map(
      Object.values(isObjectType(type) ? type.getFields() : {}).map(({ name, type, args }) => [
        name,
        `${args.map((arg) => `${arg.name}: ${arg.type}`)} ${type}`,
      ]),
    )
  })
  const shared = [...(query ?? [])].filter(([name]) => !(name in OF_NONE))
  expect(shared.length).toBeGreaterThan(10)
  expect(shared.filter(([name, signature]) => organization?.get(name) !== signature)).toEqual([])
})
