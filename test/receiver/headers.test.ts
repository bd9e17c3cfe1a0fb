import type { IncomingHttpHeaders } from 'node:http'
import { describe, expect, test } from 'vitest'
import { type ReceivedHeaders, verify } from '../../packages/receiver/src/index.ts'
import { PUBLISHED, publishedHeaders, sentAt } from './signed-delivery.ts'

const { secret, body, id, timestamp, signature } = PUBLISHED
const now = sentAt()
const other = `v1,${btoa('x'.repeat(32))}`

const incoming: IncomingHttpHeaders = { ...publishedHeaders(), host: 'receiver.example' }

test.each<[string, ReceivedHeaders]>([
  ['a Headers', new Headers({ 'WH-Id': id, 'WH-Timestamp': timestamp, 'WH-Signature': signature })],
  ["node:http's IncomingHttpHeaders", incoming],
  ["the lists of node:http's headersDistinct", listsOf([signature])],
  ['names in any case', { 'Wh-Id': id, 'WH-TIMESTAMP': timestamp, 'wh-Signature': signature }],
  ['an object without prototype', Object.assign(Object.create(null), publishedHeaders())],
])('headers are read in every form that runtimes use: %s', async (_, headers) => {
  expect(await verify(body, headers, secret, { now })).toMatchObject({ ok: true, id })
})

describe('a repeated header means the same in every form', () => {
  const asHeaders = (name: string, value: string) => {
    const headers = new Headers(publishedHeaders() as Record<string, string>)
    headers.append(name, value)
    return headers
  }

  test('a second wh-signature is combined with the first as Headers combines them', async () => {
    const results = [
      await verify(body, asHeaders('wh-signature', other), secret, { now }),
      await verify(body, listsOf([signature, other]), secret, { now }),
      await verify(body, publishedHeaders({ 'Wh-Signature': other }), secret, { now }),
    ]
    // Joined with ", ", every entry but the last ends in a comma, so only the last one can match.
    expect(results.map((result) => result.ok)).toEqual([false, false, false])

    const result = await verify(body, listsOf([other, signature]), secret, { now })
    expect(result.ok).toBe(true)
  })

  test.each(['wh-id', 'wh-timestamp'])('a second %s makes verification fail', async (name) => {
    const value = publishedHeaders()[name] ?? ''
    const repeated = { ...publishedHeaders(), [name.toUpperCase()]: value }
    for (const headers of [asHeaders(name, value), repeated]) {
      expect(await verify(body, headers, secret, { now })).toMatchObject({ ok: false })
    }
  })
})

describe('headerPrefix selects the headers', () => {
  const standard = {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signature,
  }

  test.each(['webhook-', 'Webhook-'])(
    '%s reads the headers of Standard Webhooks',
    async (headerPrefix) => {
      const options = { now, headerPrefix }
      expect(await verify(body, standard, secret, options)).toMatchObject({ ok: true, id })
      expect(await verify(body, new Headers(standard), secret, options)).toMatchObject({ ok: true })
    },
  )

  test('headers with another prefix are ignored', async () => {
    const reason = 'missing-header'
    expect(await verify(body, standard, secret, { now })).toMatchObject({ reason })
    const options = { now, headerPrefix: 'webhook-' }
    const message = 'Missing from the request: webhook-id, webhook-timestamp, webhook-signature.'
    const result = await verify(body, publishedHeaders(), secret, options)
    expect(result).toMatchObject({ reason, message })
  })
})

function listsOf(signatures: string[]): ReceivedHeaders {
  return { 'wh-id': [id], 'wh-timestamp': [timestamp], 'wh-signature': signatures }
}
