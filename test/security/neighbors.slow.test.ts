import { afterEach, beforeEach, expect, test } from 'vitest'
import { createWebhook } from '../scheduling/support/backlog.ts'
import { startTestApp, type TestApp } from '../support/app.ts'
import { createTenant, JOINED } from '../support/factories.ts'
import { startReceiver } from '../support/receiver.ts'
import { openTransaction } from '../support/transaction.ts'
import { until } from '../support/until.ts'
import { useResource } from '../support/use-resource.ts'

/*
 * One organization saturates a shared resource, and another one is served meanwhile. The rest of the resources:
 *
 * - name lookups, and connections to one origin: test/outbound/organizations.test.ts
 * - attempts in flight: test/scheduling/fairness.slow.test.ts
 * - connections to the server: test/server/connection-limits.test.ts
 * - bodies and unread responses: test/server/in-flight.test.ts
 */
let posthorn: TestApp
let other: Awaited<ReturnType<typeof createTenant>>

const receiver = await useResource(startReceiver())
beforeEach(async () => {
  receiver.clear()
  posthorn = await startTestApp({ trustedAuthorities: [receiver.authority] })
  other = await createTenant(posthorn.database.prisma)
  await createWebhook({ ...posthorn, graphql: callAs(other.token) }, `${receiver.url}other`)
})
afterEach(() => posthorn[Symbol.asyncDispose]())

const PUBLISH =
  'mutation ($type: String!) { publishEvent(input: { type: $type, data: {} }) { __typename } }'
const READ = '{ deliveries(first: 20) { nodes { state } } }'

/** The other organization publishes, gets its delivery, and reads it. */
async function useOther(): Promise<void> {
  const call = callAs(other.token)
  const before = arrivals()
  expect(await call(PUBLISH, { type: JOINED })).toEqual({
    publishEvent: { __typename: 'PublishEventSuccess' },
  })
  await until(() => arrivals() > before, 'its event is delivered')
  await until(async () => {
    const { deliveries } = await call(READ)
    return deliveries.nodes.every(({ state }: { state: string }) => state === 'SUCCEEDED')
  }, 'it reads the result')
}

const arrivals = () => receiver.received.filter(({ path }) => path === '/other').length

test('the most work on events that an organization may ask for keeps nobody else waiting', async () => {
  const { organizationId, token } = posthorn.tenant
  const template = '"{% for x in data.a %}{{ x }}{{ data.a | join }}{% endfor %}"'
  const filter = { any: Array(20).fill({ path: '$.a[*][*]', op: 'equals', value: 2 }) }
  const graphql = callAs(token)
  for (const input of [{ template }, { filter }, { filter: { not: filter } }]) {
    await graphql(CREATE, { input: { ...input, ...SUBSCRIBED, url: `${receiver.url}heavy` } })
  }
  const [deep, wide] = [`${'['.repeat(7)}${'1,'.repeat(100_000)}1${']'.repeat(7)}`, '[1,1,1,1]']
  const events = [`{"a":${deep}}`, `{"a":[${`${wide},`.repeat(20_000)}[]]}`]
  const heavy = repeat(4, async () => {
    for (const dataText of events) await graphql(PUBLISH_TEXT, { type: JOINED, dataText })
    await graphql(TRY, { filter, template, types: [JOINED] })
  })
  await until(() => heavy.succeeded > 0, 'some work is done')
  for (let i = 0; i < 3; i++) await useOther()
  await heavy.stop()
  // Undecided events are delivered, also by the filters that would refuse them.
  const { rows } = await posthorn.database.pool.query(
    `select count(*)::int as count from posthorn.deliveries as d join posthorn.webhooks as w on w.id = d.webhook_id
     where d.organization_id = $1 and w.filter is not null`,
    [organizationId],
  )
  expect(rows[0].count).toBeGreaterThan(0)
})

const SUBSCRIBED = { eventSubscriptions: [JOINED], enabled: true }
const CREATE =
  'mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) { __typename } }'
const PUBLISH_TEXT =
  'mutation ($type: String!, $dataText: String!) { publishEvent(input: { type: $type, dataText: $dataText }) { __typename } }'
const TRY = `query ($filter: JSON!, $template: String!, $types: [String!]!) {
  a: testFilter(eventSubscriptions: $types, filter: $filter) { tested }
  b: testBody(eventSubscriptions: $types, template: $template) { bodies { body } }
}`

test('an organization whose statements wait in Postgres keeps no other one from authenticating', async () => {
  using locked = await openTransaction(posthorn.database.pool)
  await locked.query('lock table posthorn.audit_log in access exclusive mode')
  const graphql = callAs(posthorn.tenant.token)
  const slow = repeat(12, () => graphql('{ auditLog { nodes { action } } }'))
  const requests = repeat(4, () => graphql('{ viewer { scopes } }'))
  await until(() => posthorn.services.database.pool.totalCount >= 7, 'its statements wait')
  for (let i = 0; i < 30; i++) await callAs(other.token)(READ)
  await locked.query('commit')
  await Promise.all([slow.stop(), requests.stop()])
})

/** Keeps this many calls in progress until it is stopped. Calls may fail. */
function repeat(lanes: number, call: () => Promise<unknown>) {
  const calls = { succeeded: 0, stop: async () => {} }
  let isStopped = false
  const lane = async () => {
    while (!isStopped) {
      await call().then(
        () => (calls.succeeded += 1),
        () => {},
      )
    }
  }
  const all = Promise.all(Array.from({ length: lanes }, lane))
  calls.stop = async () => {
    isStopped = true
    await all
  }
  return calls
}

function callAs(token: string): TestApp['graphql'] {
  return (query, variables = {}) => posthorn.graphql(query, variables, token)
}
