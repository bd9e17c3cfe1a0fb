import { afterAll, describe, expect, test } from 'vitest'
import { MAX_BODY_BYTES } from '../../src/graphql/handler.ts'
import { readAnswer, useApi } from './support/api.ts'

const api = await useApi()
const { token, addWebhook } = await api.tenant()
const { id: webhookId } = await addWebhook()
afterAll(async () => {
  const { data } = await api.call(token, '{ webhooks { nodes { id } } }')
  // Rejected requests changed nothing.
  expect(data.webhooks.nodes).toEqual([{ id: webhookId }])
})

const mutation = `mutation { deleteWebhook(id: "${webhookId}") { __typename } }`
const authorization = { authorization: `Bearer ${token}` }

function post(contentType: string, body: BodyInit): Request {
  const headers = { 'content-type': contentType, ...authorization }
  return new Request('http://127.0.0.1/graphql', { method: 'POST', headers, body })
}

test.each([
  ['a form', 'application/x-www-form-urlencoded', `query=${encodeURIComponent(mutation)}`],
  ['plain text', 'text/plain', JSON.stringify({ query: mutation })],
  ['JSON by another name', 'application/graphql+json', JSON.stringify({ query: mutation })],
  ['a list of types', 'application/json, text/plain', JSON.stringify({ query: mutation })],
])('a mutation posted as %s is rejected with 415', async (_what, type, body) => {
  const { status, errors } = await readAnswer(await api.handle(post(type, body)))
  expect(status).toBe(415)
  expect(errors).toMatchObject([{ message: expect.stringContaining('application/json') }])
})

describe('GET', () => {
  const get = (params: Record<string, string>, accept = 'application/json') =>
    api.handle(
      new Request(`http://127.0.0.1/graphql?${new URLSearchParams(params)}`, {
        headers: { accept, ...authorization },
      }),
    )

  test('rejects mutations with 405', async () => {
    const response = await get({ query: mutation })
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST'])
  })

  test.each([
    { query: '{ __typename }', variables: '{secret' },
    { query: '{ __typename }', variables: '[1]' },
  ])('answers 400 to %j, without repeating it', async (params) => {
    const response = await get(params)
    expect(response.status).toBe(400)
    expect(await response.text()).not.toContain('secret')
  })

  test('serves no page to a browser', async () => {
    expect((await get({}, 'text/html')).status).toBe(406)
  })
})

test.each(['PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD'])('%s is answered 405', async (method) => {
  const response = await api.handle(new Request('http://127.0.0.1/graphql', { method }))
  expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, POST'])
})

describe('a body', () => {
  test.each([
    ['a batch', '[{"query":"{ __typename }"}]', 'Send one JSON object'],
    ['no JSON', '{"query": "secret', 'The body is not valid JSON.'],
    ['null', 'null', 'Send one JSON object'],
    ['a query that is no string', '{"query": ["secret"]}', 'to be a string'],
    ['variables in a list', '{"query": "{ __typename }", "variables": ["secret"]}', 'an object'],
  ])('of %s is rejected with 400, without repeating it', async (_what, body, message) => {
    const { status, errors } = await api.send(token, body)
    expect(status).toBe(400)
    expect(errors).toMatchObject([{ message: expect.stringContaining(message) }])
    expect(JSON.stringify(errors)).not.toContain('secret')
  })

  const padded = (bytes: number) => {
    const body = '{"query":"{ __typename }","operationName":null,"extensions":{"pad":""}}'
    return body.replace('"pad":""', `"pad":"${'x'.repeat(bytes - body.length)}"`)
  }

  test('of 1 MiB is accepted, and of one more byte rejected with 413', async () => {
    const taken = await api.handle(post('application/json', padded(MAX_BODY_BYTES)))
    expect((await readAnswer(taken)).data).toEqual({ __typename: 'Query' })
    const rejected = await api.handle(post('application/json', padded(MAX_BODY_BYTES + 1)))
    expect(rejected.status).toBe(413)
  })
})

test('by default, pages of other origins cannot call', async () => {
  for (const method of ['POST', 'OPTIONS']) {
    const headers = { origin: 'https://app.example.com', 'access-control-request-method': 'POST' }
    const asked = new Request('http://127.0.0.1/graphql', { method, headers })
    const { headers: answered } = await api.handle(asked)
    expect([...answered.keys()].filter((name) => name.startsWith('access-control-'))).toEqual([])
  }
})

test.each<[number, string, unknown, string?]>([
  [200, 'an operation', { query: '{ __typename }' }],
  [200, 'an error of a field', { query: '{ webhooks(first: 101) { nodes { id } } }' }],
  [200, 'no GraphQL', { query: '{' }],
  [200, 'what is not in the schema', { query: '{ nope }' }],
  [200, 'too much', { query: `{ ${'__typename '.repeat(51)} }` }],
  [
    400,
    'a variable of another type',
    { query: 'query ($a: Int) { webhooks(first: $a) { nodes { id } } }', variables: { a: 'x' } },
  ],
  [400, 'two operations and no name', { query: 'query a { __typename } query b { __typename }' }],
  [400, 'another parameter', { query: '{ __typename }', color: 1 }],
  [200, 'no query', {}],
  [400, 'no JSON', '{'],
  [413, 'a body that is too large', 'x'.repeat(MAX_BODY_BYTES + 1)],
  [406, 'a subscription', { query: 'subscription { attemptRecorded { id } }' }],
  [401, 'an unknown key', { query: '{ __typename }' }, 'phk_unknown'],
])('%d to %s, if JSON or any type is accepted', async (expected, _what, body, key = token) => {
  const ask = async (accept: string) => {
    const { status, errors, data, headers } = await api.send(key, body, { accept })
    const others = [...headers].filter(([name]) => !/^ratelimit/.test(name))
    return { status, errors, data, others }
  }
  const plain = await ask('application/json')
  expect(plain.status).toBe(expected)
  expect(plain).toEqual(await ask('application/json, image/png'))
})
