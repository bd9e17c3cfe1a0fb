import { beforeAll, describe, expect, test } from 'vitest'
import { document } from '../graphql/support/document.ts'
import { useTestApp } from '../support/app.ts'
import { openBrowser } from './browser.ts'
import { fetchOfPage, type PageFetch } from './page-fetch.ts'

const OURS = 'https://app.example.com'

let cookie: string | null
let session: { id: string; token: string }

const posthorn = await useTestApp({
  role: 'api',
  environment: { POSTHORN_CORS_ORIGINS: `https://admin.example.com,${OURS}` },
})
const url = `${posthorn.app.url}/graphql`

beforeAll(async () => {
  const browser = openBrowser(posthorn.app.url)
  await browser.signIn({ token: posthorn.tenant.token })
  cookie = browser.cookie
  expect(cookie).toContain('posthorn_session=')
  session = await createSession()
})

async function createSession(): Promise<{ id: string; token: string }> {
  const input = { scopes: ['webhooks:read', 'deliveries:read'] }
  const create = document('frontend-sessions', 'CreateFrontendSession')
  const { createFrontendSession } = await posthorn.graphql(create, { input })
  return { ...createFrontendSession.frontendSession, token: createFrontendSession.token }
}

const VIEWER = '{"query":"{ viewer { session { kind } } }"}'
const json = { 'content-type': 'application/json' }

const SUBSCRIPTION = '{"query":"subscription { attemptRecorded { id } }"}'

const ask = (page: PageFetch, headers: Record<string, string> = {}, body = VIEWER) => {
  const authorization = `Bearer ${session.token}`
  return page(url, { method: 'POST', headers: { ...json, authorization, ...headers }, body })
}

describe('a page of an allowed origin', () => {
  const page = fetchOfPage(OURS)

  test('calls GraphQL with the token of a frontend session, and reads the rate limit', async () => {
    const response = await ask(page)
    expect(await response.json()).toMatchObject({
      data: { viewer: { session: { kind: 'FRONTEND' } } },
    })
    expect(response.headers.get('ratelimit')).toContain('requests')
    expect(response.headers.has('cache-control')).toBe(false)
  })

  test('subscribes', async () => {
    const response = await ask(page, { accept: 'text/event-stream' }, SUBSCRIPTION)
    expect(response.headers.get('content-type')).toContain('text/event-stream')
    await response.body?.cancel()
  })

  test.each([
    ['Apollo Client', ['apollographql-client-name', 'apollographql-client-version']],
    ['Apollo Server, against CSRF', ['apollo-require-preflight', 'x-apollo-operation-name']],
    ['Apollo Kotlin and iOS', ['x-apollo-operation-id', 'x-apollo-operation-name']],
    ['graphql-sse', ['x-graphql-event-stream-token', 'cache-control', 'last-event-id']],
    ['OpenTelemetry', ['traceparent', 'tracestate', 'baggage']],
    ['Sentry', ['sentry-trace', 'baggage']],
    ['Datadog', ['x-datadog-trace-id', 'x-datadog-parent-id', 'x-datadog-origin']],
    ['New Relic, Zipkin and AWS', ['newrelic', 'b3', 'x-b3-traceid', 'x-amzn-trace-id']],
    ['axios', ['x-requested-with', 'x-request-id']],
    ['a host for many organizations', ['posthorn-organization']],
  ])('sends the headers of %s', async (_client, names) => {
    const own = Object.fromEntries(names.map((name) => [name, 'x']))
    // The tenant's own organization: the key may name no other.
    if (names.includes('posthorn-organization')) {
      own['posthorn-organization'] = posthorn.tenant.publicOrganizationId
    }
    const response = await ask(page, own)
    expect(response.status).toBe(200)
  })

  test('reads why its subscription with multipart responses is rejected', async () => {
    const accept = 'multipart/mixed;boundary="graphql";subscriptionSpec=1.0,application/json'
    const response = await ask(page, { accept }, SUBSCRIPTION)
    expect(response.status).toBe(406)
    expect(await response.text()).toMatch(/Accept: text\/event-stream.*docs\/guides\/frontends\.md/)
  })

  test('cannot use the cookie of a signed-in user', async () => {
    const withCookie = fetchOfPage(OURS, cookie)
    const request = { method: 'POST', headers: json, body: VIEWER } as const
    await expect(withCookie(url, { ...request, credentials: 'include' })).rejects.toThrow(
      'No credentials are allowed.',
    )
    const headers = { ...json, 'posthorn-console': '1' }
    await expect(withCookie(url, { ...request, headers })).rejects.toThrow(
      'The preflight denies posthorn-console.',
    )
  })

  test('cannot call REST', async () => {
    const headers = { authorization: `Bearer ${posthorn.tenant.token}` }
    const webhooks = `${posthorn.app.url}/api/connect/v1/webhooks`
    await expect(page(webhooks, { headers })).rejects.toThrow('The response allows null')
  })
})

test.each(['https://evil.example', 'null', `${OURS}.evil.example`, 'http://app.example.com'])(
  'a page of another origin, %s, cannot call, even with a token',
  async (origin) => {
    await expect(ask(fetchOfPage(origin))).rejects.toThrow('The response allows null')
  },
)
