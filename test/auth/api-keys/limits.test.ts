import { describe, expect, test } from 'vitest'
import type { Limits, Scope } from '../../../src/auth/access/scope.ts'
import { mintToken } from '../../../src/auth/api-keys/authenticate.ts'
import { document } from '../../graphql/support/document.ts'
import { createApiKey } from '../../support/api-keys.ts'
import { startTestApp, useTestApp } from '../../support/app.ts'
import { ALL_SCOPES, JOINED, TICKET } from '../../support/factories.ts'
import { until } from '../../support/until.ts'

const first = await useTestApp({ role: 'api' })

async function keyWith(limits: Partial<Limits>, scopes: readonly Scope[] = ALL_SCOPES) {
  const { organizationId } = first.tenant
  const { token } = await createApiKey(first.database.prisma, { organizationId, scopes, ...limits })
  return token
}

const rest = (token: string, app = first) =>
  fetch(`${app.app.url}/api/connect/v1/webhooks`, { headers: { authorization: `Bearer ${token}` } })

const graphql = (token: string, query: string, variables = {}, app = first) =>
  fetch(`${app.app.url}/graphql`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables }),
  })

const VIEWER = '{ viewer { scopes } }'
const PUBLISH = `mutation ($events: [PublishEventInput!]!) {
  publishEvents(input: { events: $events }) { __typename } }`
const events = (count: number) => ({ events: Array(count).fill({ type: JOINED, data: {} }) })

describe('a key over its limit', () => {
  test('gets a problem over REST, with its limit and the time to retry', async () => {
    const token = await keyWith({ requestsPerSecond: 1 })
    const good = await rest(token)
    expect(good.status).toBe(200)
    expect(good.headers.get('ratelimit-policy')).toBe('"requests";q=10;w=10')
    expect(good.headers.get('ratelimit')).toBe('"requests";r=9;t=1')
    const answers = await Promise.all(Array.from({ length: 20 }, () => rest(token)))
    const answer = answers.find(({ status }) => status === 429) as Response
    expect(answer.headers.get('content-type')).toBe('application/problem+json')
    expect(answer.headers.get('retry-after')).toMatch(/^[12]$/)
    expect(answer.headers.get('ratelimit')).toMatch(/^"requests";r=0;t=\d+$/)
    expect(await answer.json()).toMatchObject({
      type: 'urn:posthorn:problem:rate-limited',
      status: 429,
      detail: expect.stringContaining('1 requests per second'),
    })
  })

  test.each<[string, string, object?, (readonly Scope[])?]>([
    ['reads', VIEWER],
    ['is not valid', '{ nothing }'],
    ['cannot be parsed', '{'],
    ['subscribes', 'subscription { attempts { id } }'],
    ['publishes, and is not valid', 'mutation { publishEvent(nothing: 1) { __typename } }'],
    ['publishes, and skips its field', PUBLISH.replace('})', '}) @skip(if: true)'), events(1)],
    ['publishes, and lacks the scope', PUBLISH, events(1), ['webhooks:read']],
  ])('gets 429 and RATE_LIMITED for what %s', async (_, query, variables, scopes) => {
    const token = await keyWith({ requestsPerSecond: 1 }, scopes)
    const asked = Array.from({ length: 20 }, () => graphql(token, query, variables))
    const rejected = (await Promise.all(asked)).find(({ status }) => status === 429)
    expect(rejected?.headers.get('retry-after')).toMatch(/^[12]$/)
    expect(rejected?.headers.get('ratelimit')).toMatch(/^"requests";r=0;t=\d+$/)
    const body = await rejected?.json()
    expect(body).toMatchObject({ errors: [{ extensions: { code: 'RATE_LIMITED' } }] })
    expect(body.data).toBeUndefined()
  })

  test('of events can still send requests, and the other way round', async () => {
    const token = await keyWith({ requestsPerSecond: 1, eventsPerSecond: 1 })
    const published = await graphql(token, PUBLISH, events(500))
    expect(published.status).toBe(200)
    expect(published.headers.get('ratelimit-policy')).toBe(
      '"deliveries";q=100000;w=10, "events";q=10;w=10',
    )
    const rejected = await graphql(token, PUBLISH, events(1))
    expect(rejected.status).toBe(429)
    expect(await rejected.json()).toMatchObject({
      errors: [{ extensions: { code: 'RATE_LIMITED' }, path: ['publishEvents'] }],
    })
    expect((await graphql(token, VIEWER)).status).toBe(200)

    const other = await keyWith({ requestsPerSecond: 1 })
    await until(
      async () => (await graphql(other, VIEWER)).status === 429,
      'the key is over its limit of requests',
    )
    expect((await graphql(other, PUBLISH, events(1))).status).toBe(200)
  })

  test('of deliveries publishes what exceeds it, and waits for the excess', async () => {
    const token = await keyWith({ requestsPerSecond: 1, deliveriesPerSecond: 1 })
    await first.database.pool.query(
      `insert into posthorn.webhooks (organization_id, url, enabled, event_subscriptions)
       select $1, 'https://example.com/', true, array[$2] from generate_series(1, 3)`,
      [first.tenant.organizationId, TICKET],
    )
    const tickets = (count: number) => ({ events: Array(count).fill({ type: TICKET, data: {} }) })
    const published = await graphql(token, PUBLISH, tickets(20))
    expect(published.status).toBe(200)
    expect(published.headers.get('ratelimit')).toMatch(/^"deliveries";r=0;t=60, "events"/)
    const rejected = await graphql(token, PUBLISH, tickets(1))
    expect(rejected.status).toBe(429)
    expect(Number(rejected.headers.get('retry-after'))).toBeGreaterThan(45)
    expect(await rejected.json()).toMatchObject({
      errors: [{ message: expect.stringContaining('1 deliveries per second') }],
    })
    // Also without a delivery: the webhooks of an event are known only when it is stored.
    expect((await graphql(token, PUBLISH, events(1))).status).toBe(429)
    expect((await graphql(token, VIEWER)).status).toBe(200)
  })
})

describe('limits of keys', () => {
  const CREATE = `mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) {
    ... on CreateApiKeySuccess { createdApiKey { apiKey { id requestsPerSecond eventsPerSecond } } }
    ... on ValidationError { issues { path code } } } }`
  const UPDATE = document('api-keys', 'UpdateApiKey')
  const scopes = ['webhooks:read']

  // biome-ignore lint/suspicious/noExplicitAny: the type depends on the query
  const call = async (token: string, query: string, variables: object): Promise<any> =>
    Object.values(await first.graphql(query, variables, token))[0]

  test('are set at creation, and changed later', async () => {
    const { token } = first.tenant
    const created = await call(token, CREATE, { input: { scopes, requestsPerSecond: 20 } })
    const { apiKey } = created.createdApiKey
    expect(apiKey).toMatchObject({ requestsPerSecond: 20, eventsPerSecond: 50_000 })
    const { id } = apiKey
    const changed = await call(token, UPDATE, { id, input: { eventsPerSecond: 7 } })
    expect(changed.apiKey).toMatchObject({ requestsPerSecond: 20, eventsPerSecond: 7 })
    const reset = await call(token, UPDATE, { id, input: { requestsPerSecond: null } })
    expect(reset.apiKey).toMatchObject({ requestsPerSecond: 500, eventsPerSecond: 7 })
  })

  test.each([0, -1, 1_000_001])('of %i are rejected by name', async (requestsPerSecond) => {
    const input = { scopes, requestsPerSecond }
    const answer = await call(await keyWith({}, ['admin']), CREATE, { input })
    expect(answer.issues).toMatchObject([{ path: ['requestsPerSecond'] }])
  })

  test('above the limits of the caller’s key can be granted only by an operator', async () => {
    const limited = await keyWith({ requestsPerSecond: 50 })
    const issues = [{ path: ['requestsPerSecond'], code: 'limit_not_held' }]
    const created = await call(limited, CREATE, { input: { scopes } })
    expect(created.issues).toMatchObject(issues)
    const { id } = (await call(limited, '{ viewer { apiKey { id } } }', {})).apiKey
    const raised = await call(limited, UPDATE, { id, input: { requestsPerSecond: 51 } })
    expect(raised.issues).toMatchObject(issues)
    const lowered = await call(limited, UPDATE, { id, input: { requestsPerSecond: 49 } })
    expect(lowered.apiKey).toMatchObject({ requestsPerSecond: 49 })
    const operator = await keyWith({}, ['admin'])
    const granted = await call(operator, UPDATE, { id, input: { requestsPerSecond: 9_999 } })
    expect(granted.apiKey).toMatchObject({ requestsPerSecond: 9_999 })
  })
})

test('a client that guesses keys is rate limited; valid keys from the same address still work', async () => {
  const app = await startTestApp({ role: 'api', database: first.database })
  const wrong = await Promise.all(Array.from({ length: 30 }, () => rest(mintToken(), app)))
  // A slow machine allows another failure every three seconds.
  const failed = wrong.filter(({ status }) => status === 401)
  expect(failed.length).toBeGreaterThanOrEqual(20)
  const limited = wrong.filter(({ status }) => status === 429)
  expect(limited.length).toBe(30 - failed.length)
  expect(Number(limited[0]?.headers.get('retry-after'))).toBeGreaterThan(0)
  // For the same reason, the next failures may be allowed, too.
  let answer = await graphql('phk_x', VIEWER, {}, app)
  await until(async () => {
    if (answer.status !== 429) answer = await graphql('phk_x', VIEWER, {}, app)
    return answer.status === 429
  }, 'GraphQL is limited as well')
  expect(await answer.json()).toMatchObject({ errors: [{ extensions: { code: 'RATE_LIMITED' } }] })
  expect((await rest(app.tenant.token, app)).status).toBe(200)
  expect((await graphql(app.tenant.token, VIEWER, {}, app)).status).toBe(200)
  const without = await fetch(`${app.app.url}/api/connect/v1/webhooks`)
  expect(without.status).toBe(401)
  await app[Symbol.asyncDispose]()
})
