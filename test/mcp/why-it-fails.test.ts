import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestAuthority, daysFromNow } from '../outbound/certificates.ts'
import { vacantPort } from '../outbound/raw-receivers.ts'
import { startTlsReceiver } from '../outbound/tls-receiver.ts'
import { startTestApp, type TestApp } from '../support/app.ts'
import { JOINED, TICKET } from '../support/factories.ts'
import { startReceiver } from '../support/receiver.ts'
import { until } from '../support/until.ts'
import { type Agent, connectAgent } from './agent.ts'

let posthorn: TestApp
let agent: Agent
const stack = new AsyncDisposableStack()

/** How the receiver answers at each path. */
const ANSWERS: Readonly<Record<string, (response: ServerResponse) => void>> = {
  '/never': () => {},
  '/401': (response) => response.writeHead(401).end('no token'),
  '/404': (response) => response.writeHead(404).end(),
  '/410': (response) => response.writeHead(410).end(),
  '/429': (response) => response.writeHead(429).end(),
  '/500': (response) => response.writeHead(500).end('stack trace'),
  '/302': (response) => response.writeHead(302, { location: 'https://example.com/' }).end(),
  '/long-head': (response) => response.writeHead(200, { long: 'a'.repeat(20_000) }).end(),
  '/maintenance': (response) => response.writeHead(503, { 'retry-after': '3600' }).end(),
}

/** What the agent must find out, by the path of the URL. */
const EXPECTED: Readonly<Record<string, readonly [cause: RegExp, means: RegExp]>> = {
  '/no-host': [/^name_(not_found|lookup_failed)$/, /host name/],
  '/refused': [/^connection_refused$/, /connection was refused/],
  '/expired': [/^certificate_expired$/, /certificate has expired/],
  '/wrong-host': [/^certificate_wrong_host$/, /another host name/],
  '/plain-http': [/^no_tls$/, /does not speak TLS/],
  '/never': [/^response_timed_out$/, /No status and headers/],
  '/401': [/^401$/, /requires credentials/],
  '/404': [/^404$/, /found nothing at this URL/],
  '/410': [/^410$/, /permanently gone/],
  '/429': [/^429$/, /limits the rate/],
  '/500': [/^500$/, /500 Internal Server Error/],
  '/302': [/^302$/, /redirects to another URL/],
  '/long-head': [/^head_too_large$/, /exceeded 16 KiB/],
  '/maintenance': [/^503$/, /on hold because its endpoint asked to wait/],
  '/disabled': [/^DISABLED$/, /is disabled/],
  '/limited': [/^RATE_LIMIT$/, /at its rate limit/],
}

beforeAll(async () => {
  const receiver = stack.use(await startReceiver())
  receiver.answer = (response, { path }) => (ANSWERS[path] ?? (() => response.end()))(response)
  const authority = await createTestAuthority('The agent')
  const names = ['localhost', '127.0.0.1']
  const expired = await authority.issue(names, { until: daysFromNow(-1) })
  const expiredReceiver = stack.use(await startTlsReceiver(expired))
  const wrongHost = stack.use(await startTlsReceiver(await authority.issue(['other.test'])))
  posthorn = stack.use(
    await startTestApp({
      environment: { POSTHORN_MCP: 'read', POSTHORN_ATTEMPT_TIMEOUT: '1s' },
      trustedAuthorities: [receiver.authority, authority.pem],
    }),
  )
  agent = stack.use(await connectAgent(posthorn.app.url, posthorn.tenant.token))
  const at = (port: number, path: string) => `https://localhost:${port}${path}`
  for (const path of Object.keys(ANSWERS)) await createWebhook(new URL(path, receiver.url).href)
  await createWebhook('https://no-such-host.invalid/no-host')
  await createWebhook(at((await vacantPort()).port, '/refused'))
  await createWebhook(at(expiredReceiver.port, '/expired'))
  await createWebhook(at(wrongHost.port, '/wrong-host'))
  await createWebhook(at(await plainHttpPort(), '/plain-http'))
  await createWebhook(new URL('/filtered', receiver.url).href, {
    filterText: '{"path":"$.amount","op":"greater","value":100}',
  })
  const limited = new URL('/limited', receiver.url).href
  await createWebhook(limited, { eventSubscriptions: [TICKET], rateLimitPerSecond: 1 })
  const disabled = await createWebhook(new URL('/disabled', receiver.url).href)
  await publish(JOINED, { amount: 5 })
  for (let i = 0; i < 120; i++) await publish(TICKET, { number: i })
  await update(disabled, { enabled: false })
})
afterAll(async () => {
  await stack.disposeAsync()
})

test('an agent finds out by tools alone why each webhook fails', async () => {
  const found: Record<string, { cause: string; means: string; check: string }> = {}
  await until(async () => {
    for (const { webhook_id, untrusted } of await allWebhooks()) {
      const { pathname } = new URL(untrusted.url)
      const why = await agent.call('why_does_webhook_fail', { webhook_id })
      if (why.cause !== null) found[pathname] = why
    }
    return Object.keys(EXPECTED).every((path) =>
      found[path]?.means.match(EXPECTED[path]?.[1] ?? ''),
    )
  }, 'the agent has found every cause').catch(() => {})
  for (const [path, [cause, means]] of Object.entries(EXPECTED)) {
    expect(found[path], path).toMatchObject({
      cause: expect.stringMatching(cause),
      means: expect.stringMatching(means),
    })
    expect(found[path]?.check, path).not.toBe('')
  }
})

test('an agent finds out by tools alone that a filter refuses an event', async () => {
  const [filtered] = (await agent.call('list_webhooks', { search: '/filtered' })).items
  const why = await agent.call('why_does_webhook_fail', { webhook_id: filtered.webhook_id })
  expect(why).toMatchObject({
    cause: null,
    check: expect.stringContaining('why_was_event_not_delivered'),
  })
  const [event] = (await agent.call('find_events', { event_type: JOINED })).items
  expect(
    await agent.call('why_was_event_not_delivered', {
      event_id: event.event_id,
      webhook_id: filtered.webhook_id,
    }),
  ).toMatchObject({
    reason: 'FILTERED_OUT',
    delivery: null,
    untrusted: { detail: expect.stringContaining('amount') },
  })
})

/** All pages of the list. */
async function allWebhooks() {
  const items = []
  let cursor: string | null = null
  do {
    const page = await agent.call('list_webhooks', { limit: 5, ...(cursor !== null && { cursor }) })
    items.push(...page.items)
    cursor = page.next_cursor
  } while (cursor !== null)
  return items
}

async function createWebhook(url: string, options: object = {}): Promise<string> {
  const { createWebhook: result } = await posthorn.graphql(
    `mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) {
      ... on CreateWebhookSuccess { webhook { id } } ... on UserError { message } } }`,
    { input: { url, eventSubscriptions: [JOINED], enabled: true, ...options } },
  )
  expect(result.message).toBeUndefined()
  return result.webhook.id
}

async function update(id: string, input: object): Promise<void> {
  await posthorn.graphql(
    'mutation ($id: ID!, $input: UpdateWebhookInput!) { updateWebhook(id: $id, input: $input) { __typename } }',
    { id, input },
  )
}

async function publish(type: string, data: object): Promise<void> {
  await posthorn.graphql(
    'mutation ($input: PublishEventInput!) { publishEvent(input: $input) { __typename } }',
    { input: { type, data } },
  )
}

async function plainHttpPort(): Promise<number> {
  const server = createServer((_, response) => response.end())
  stack.defer(async () => {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}
