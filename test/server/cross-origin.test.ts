import { beforeAll, describe, expect, test } from 'vitest'
import { document } from '../graphql/support/document.ts'
import { useTestApp } from '../support/app.ts'

/* What a browser reads of the CORS protocol (https://fetch.spec.whatwg.org/#cors-protocol). examples/react runs in one. */
const OURS = 'https://app.example.com'

let token: string

const posthorn = await useTestApp({
  role: 'api',
  environment: { POSTHORN_CORS_ORIGINS: `https://admin.example.com,${OURS}` },
})

beforeAll(async () => {
  const input = { scopes: ['webhooks:read', 'deliveries:read'] }
  const create = document('frontend-sessions', 'CreateFrontendSession')
  token = (await posthorn.graphql(create, { input })).createFrontendSession.token
})

/** A call of a page with the token of a frontend session. */
const ask = (origin: string, query: string, headers: Record<string, string> = {}) =>
  fetch(`${posthorn.app.url}/graphql`, {
    method: 'POST',
    headers: {
      ...{ origin, 'sec-fetch-site': 'cross-site', 'content-type': 'application/json' },
      ...{ authorization: `Bearer ${token}`, ...headers },
    },
    body: JSON.stringify({ query }),
  })

/** The question of a browser before a call with these headers. */
const preflight = (origin: string, names: readonly string[], path = '/graphql') =>
  fetch(posthorn.app.url + path, {
    method: 'OPTIONS',
    headers: {
      ...{ origin, 'access-control-request-method': 'POST' },
      'access-control-request-headers': names.join(),
    },
  })

const allowed = (response: Response, what: string) =>
  response.headers.get(`access-control-allow-${what}`)

const VIEWER = '{ viewer { session { kind } } }'
const SUBSCRIPTION = 'subscription { attemptRecorded { id } }'

describe('a page of an allowed origin', () => {
  test('calls GraphQL with the token of a frontend session, and reads the rate limit', async () => {
    const response = await ask(OURS, VIEWER)
    expect(allowed(response, 'origin')).toBe(OURS)
    expect(await response.json()).toMatchObject({
      data: { viewer: { session: { kind: 'FRONTEND' } } },
    })
    const readable = response.headers.get('access-control-expose-headers')?.split(/, ?/)
    expect(readable).toContain('ratelimit')
    expect(readable).not.toContain('cache-control')
  })

  test('subscribes, and reads why multipart responses are rejected', async () => {
    const stream = await ask(OURS, SUBSCRIPTION, { accept: 'text/event-stream' })
    expect(allowed(stream, 'origin')).toBe(OURS)
    expect(stream.headers.get('content-type')).toContain('text/event-stream')
    await stream.body?.cancel()
    const accept = 'multipart/mixed;boundary="graphql";subscriptionSpec=1.0,application/json'
    const rejected = await ask(OURS, SUBSCRIPTION, { accept })
    expect([rejected.status, allowed(rejected, 'origin')]).toEqual([406, OURS])
    expect(await rejected.text()).toMatch(/Accept: text\/event-stream.*docs\/guides\/frontends\.md/)
  })

  test('sends any header of a client or a tracer, and the one that names an organization', async () => {
    const names = ['authorization', 'content-type', 'apollographql-client-name', 'sentry-trace']
    const asked = [...names, 'x-b3-traceid', 'posthorn-organization']
    const response = await preflight(OURS, asked)
    expect([response.ok, allowed(response, 'origin')]).toEqual([true, OURS])
    expect(allowed(response, 'headers')?.split(/, ?/).toSorted()).toEqual(asked.toSorted())
  })

  test('cannot use the cookie of a signed-in user', async () => {
    const response = await preflight(OURS, ['posthorn-console'])
    expect(allowed(response, 'headers')).not.toContain('posthorn-console')
    for (const one of [response, await ask(OURS, VIEWER)]) {
      expect(allowed(one, 'credentials')).toBeNull()
    }
  })

  test('cannot call REST', async () => {
    const response = await preflight(OURS, ['authorization'], '/api/connect/v1/webhooks')
    expect(allowed(response, 'origin')).toBeNull()
  })
})

test.each(['https://evil.example', 'null', `${OURS}.evil.example`, 'http://app.example.com'])(
  'a page of another origin, %s, cannot call, even with a token',
  async (origin) => {
    for (const response of [
      await preflight(origin, ['authorization']),
      await ask(origin, VIEWER),
    ]) {
      expect(allowed(response, 'origin')).toBeNull()
    }
  },
)
