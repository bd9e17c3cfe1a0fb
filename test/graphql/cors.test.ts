import { expect, test } from 'vitest'
import { createGraphqlHandler } from '../../src/server/graphql-handler.ts'
import { useApi } from './support/api.ts'

const OURS = 'https://app.example.com'

const api = await useApi()

function requestFrom(
  origin: string,
  method: 'POST' | 'OPTIONS',
  asked = 'authorization,content-type',
): Request {
  return new Request('http://127.0.0.1/graphql', {
    method,
    headers: {
      origin,
      'content-type': 'application/json',
      ...(method === 'OPTIONS' && {
        'access-control-request-method': 'POST',
        'access-control-request-headers': asked,
      }),
    },
    ...(method === 'POST' && { body: '{"query":"{ __typename }"}' }),
  })
}

const corsHeaders = ({ headers }: Response) =>
  [...headers].filter(([name]) => name.startsWith('access-control-'))

test('by default, pages of other origins cannot call', async () => {
  for (const method of ['POST', 'OPTIONS'] as const) {
    expect(corsHeaders(await api.handle(requestFrom(OURS, method)))).toEqual([])
  }
})

test('pages of a configured origin can call, after a preflight', async () => {
  const handle = createGraphqlHandler({ ...api.deps, corsOrigins: ['https://b.example', OURS] })
  const preflight = await handle(requestFrom(OURS, 'OPTIONS'))
  expect(preflight.status).toBe(204)
  expect(Object.fromEntries(preflight.headers)).toMatchObject({
    'access-control-allow-origin': OURS,
    'access-control-allow-methods': 'GET, POST',
    'access-control-allow-headers': 'authorization, content-type',
    vary: 'origin, access-control-request-headers',
  })
  const answer = await handle(requestFrom(OURS, 'POST'))
  expect(answer.status).toBe(200)
  expect(answer.headers.get('access-control-allow-origin')).toBe(OURS)
  expect(answer.headers.get('access-control-expose-headers')).toContain('x-request-id')
  expect(answer.headers.has('access-control-allow-credentials')).toBe(false)
})

test.each(['https://evil.example', 'null', `${OURS}.evil.example`, 'http://app.example.com'])(
  'pages of %s cannot call',
  async (origin) => {
    const handle = createGraphqlHandler({ ...api.deps, corsOrigins: ['https://b.example', OURS] })
    for (const method of ['POST', 'OPTIONS'] as const) {
      const response = await handle(requestFrom(origin, method))
      expect(corsHeaders(response)).toEqual([])
      expect(response.headers.get('vary')).toBe('origin, access-control-request-headers')
    }
  },
)

test.each([
  ['traceparent,x-anything', 'authorization, traceparent, x-anything'],
  ['', 'authorization'],
  // That of the console is not for pages of other origins.
  ['content-type,posthorn-console,Posthorn-Console', 'authorization, content-type'],
  ['a b,"x",*,x:y,ok', 'authorization, *, ok'],
])('a preflight that asks for %j may send %j', async (asked, allowed) => {
  const handle = createGraphqlHandler({ ...api.deps, corsOrigins: [OURS] })
  const { headers } = await handle(requestFrom(OURS, 'OPTIONS', asked))
  expect(headers.get('access-control-allow-headers')).toBe(allowed)
})
