import { describe, expect, test, vi } from 'vitest'
import { type LambdaEvent, receiver } from '../../src/receiver/frameworks/aws-lambda.ts'
import { sign } from '../../src/receiver/index.ts'
import { OTHER_SECRET, PUBLISHED, publishedHeaders, sentAt } from './signed-delivery.ts'

const { secret, id, timestamp } = PUBLISHED
const body = '{"text":"Zoë · ✓"}'
const base64 = Buffer.from(body).toString('base64')
const signature = await sign(secret, id, timestamp, body)
const headers = publishedHeaders({ 'wh-signature': signature }) as Record<string, string>
const capitalized = Object.fromEntries(
  Object.entries(headers).map(([name, value]) => [name.replace('wh', 'Wh'), value]),
)
const other = await sign(OTHER_SECRET, id, timestamp, body)
const lists = (values: Record<string, string>) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, [value]]))

function receive(
  event: LambdaEvent,
  handler: (delivery: { event: unknown }) => unknown = () => {},
) {
  return receiver({ secret, now: sentAt() }, handler)(event)
}

describe('a delivery is accepted', () => {
  test.each<[string, LambdaEvent]>([
    ['an HTTP API or a function URL, as text', { headers, body, isBase64Encoded: false }],
    ['an HTTP API or a function URL, in base64', { headers, body: base64, isBase64Encoded: true }],
    [
      'a REST API',
      {
        headers: { ...capitalized, 'Wh-signature': other },
        multiValueHeaders: { ...lists(capitalized), 'Wh-signature': [`${other} ${signature}`] },
        body,
        isBase64Encoded: false,
      },
    ],
    ['a load balancer', { headers, body: base64, isBase64Encoded: true }],
    [
      'a load balancer with multi-value headers',
      { multiValueHeaders: lists(headers), body, isBase64Encoded: false },
    ],
  ])('from %s', async (_, event) => {
    const handler = vi.fn()
    const result = await receive(event, handler)
    expect(result).toMatchObject({ statusCode: 204, body: '', isBase64Encoded: false })
    expect(handler).toHaveBeenCalledWith(
      expect.objectContaining({ id, event: JSON.parse(body) }),
      event,
    )
    // A load balancer with multi-value headers ignores the others.
    expect(result.multiValueHeaders !== undefined).toBe(event.multiValueHeaders !== undefined)
  })
})

test.each<[string, LambdaEvent, object]>([
  [
    'base64 that is taken for text',
    { headers, body: base64, isBase64Encoded: false },
    { statusCode: 400, body: 'no-matching-signature' },
  ],
  [
    'no body',
    { headers, body: null, isBase64Encoded: false },
    { statusCode: 400, body: 'no-matching-signature' },
  ],
  [
    'no signature',
    { headers: {}, body, isBase64Encoded: false },
    { statusCode: 400, body: 'missing-header' },
  ],
  [
    'more than 1 MiB',
    { headers, body: 'x'.repeat(2 ** 20 + 1), isBase64Encoded: false },
    { statusCode: 413, body: 'body-too-large' },
  ],
])('%s is rejected, and no handler runs', async (_, event, expected) => {
  const handler = vi.fn()
  expect(await receive(event, handler)).toMatchObject(expected)
  expect(handler).not.toHaveBeenCalled()
})

test('a repeat is answered, and processed only if the handler failed before', async () => {
  const handler = vi.fn().mockRejectedValueOnce(new Error('The disk is full.'))
  const lambda = receiver({ secret, now: sentAt() }, handler)
  const event = { headers, body, isBase64Encoded: false }
  await expect(lambda(event)).rejects.toThrow('The disk is full.')
  expect(await lambda(event)).toMatchObject({ statusCode: 204 })
  expect(await lambda(event)).toMatchObject({ statusCode: 200, body: 'duplicate' })
  expect(handler).toHaveBeenCalledTimes(2)
})

test('a body that middleware parsed is an error with the remedy', async () => {
  const event = { headers, body: JSON.parse(body), isBase64Encoded: true }
  await expect(receive(event)).rejects.toThrow(
    /not an object[.] .* cannot be verified: pass event.body .* without httpJsonBodyParser of Middy/,
  )
})

test('an event without headers is an error that names the integration', async () => {
  await expect(receive({ body, isBase64Encoded: false })).rejects.toThrow(
    'Does the API call the function with Lambda proxy integration?',
  )
})

test('onRejected gets the rejected request, and the secret can depend on it', async () => {
  const onRejected = vi.fn()
  const event = { headers, body, isBase64Encoded: false, stage: 'test' }
  const lambda = receiver(
    {
      secret: ({ stage }: typeof event) => (stage === 'test' ? OTHER_SECRET : secret),
      now: sentAt(),
      onRejected,
    },
    () => {},
  )
  expect(await lambda(event)).toMatchObject({ statusCode: 400 })
  expect(onRejected).toHaveBeenCalledWith(
    expect.objectContaining({ reason: 'no-matching-signature' }),
    event,
  )
  expect(await lambda({ ...event, stage: 'live' })).toMatchObject({ statusCode: 204 })
})
