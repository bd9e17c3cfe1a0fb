import { describe, expect, test } from 'vitest'
import { expectInvalid, json, NEW_WEBHOOK, problem, useConnectV1 } from './connect-v1.ts'

const api = await useConnectV1()

const post = (headers: object) =>
  api.call('POST', '/webhooks', { body: { ...NEW_WEBHOOK, headers } })

const numbered = (count: number, value = 'v') =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`X-${i}`, value]))

test.each([
  ['several', { 'X-A': '1', 'x-b': '2', Cookie: 'a=b; c=d' }],
  ['every character that is valid in a name', { "!#$%&'*+-.^_`|~09AZaz": 'x' }],
  ['spaces and tabs inside a value', { 'X-A': 'a b\tc' }],
  ['names of object properties', { constructor: 'a', toString: 'b', hasOwnProperty: 'c' }],
  [
    'names similar to reserved names',
    { 'X-Wh-Id': 'a', whisper: 'b', hostname: 'c', tea: 'd', proxy: 'e' },
  ],
  ['32 headers', numbered(32)],
  ['8 KiB of names and values', { 'X-A': 'v'.repeat(8 * 1_024 - 3) }],
])('custom headers are accepted and returned unchanged: %s', async (_what, headers) => {
  const response = await post(headers)
  expect(response.status).toBe(201)
  const webhook = await json(response)
  expect(webhook.headers).toEqual(headers)
  expect(await json(await api.call('GET', `/webhooks/${webhook.id}`))).toEqual(webhook)
})

describe('custom headers are rejected:', () => {
  test.each([
    ...['Wh-Anything', 'webhook-id', 'host', 'Content-Type', 'content-length', 'connection'],
    ...['Transfer-Encoding', 'te', 'trailer', 'upgrade', 'keep-alive', 'proxy-authorization'],
    ...['expect', 'User-Agent', 'Accept-Encoding', 'traceparent', 'TraceState'],
    ...['wh_id', 'transfer_encoding'],
  ])('%s, which the service or the connection sets', async (name) => {
    const response = await post({ [name]: 'x' })
    const { detail } = await expectInvalid(response, `#/headers/${name}`, 'reserved_header')
    expect(detail).toBe(
      `headers.${name} is set by Posthorn or by the connection. Use another name.`,
    )
  })

  test.each(['', 'a b', 'a:b', 'Ünicode', 'a\n', '(x)'])('the name %j', async (name) => {
    const pointer = `#/headers/${encodeURIComponent(name)}`
    await expectInvalid(await post({ [name]: 'x' }), pointer, 'invalid_header_name')
  })

  test.each(['', ' a', 'a ', '\ta', 'a\r\nX-Evil: 1', 'a\0', 'é', '\x7f'])(
    'the value %j',
    async (value) => {
      await expectInvalid(await post({ 'X-A': value }), '#/headers/X-A', 'invalid_header_value')
    },
  )

  test('two names that only differ in case', async () => {
    await expectInvalid(await post({ 'X-A': '1', 'x-a': '2' }), '#/headers/x-a', 'duplicate_header')
  })

  test('a value that is not a string', async () => {
    for (const value of [7, null, ['a']]) {
      await expectInvalid(await post({ 'X-A': value }), '#/headers/X-A', 'invalid_type')
    }
  })

  test('more than 32 headers, or more than 8 KiB in total', async () => {
    const { detail } = await expectInvalid(await post(numbered(33)), '#/headers', 'too_many')
    expect(detail).toBe('headers must have at most 32 entries, not 33.')
    await expectInvalid(await post({ 'X-A': 'v'.repeat(8 * 1_024 - 2) }), '#/headers', 'too_large')
  })

  test('several invalid headers, with all errors in one response and without their values', async () => {
    const { errors } = await problem(await post({ Host: 'a', 'b c': 'd', 'X-A': 'sécret' }), 422)
    expect(errors).toHaveLength(3)
    expect(JSON.stringify(errors)).not.toContain('sécret')
  })
})
