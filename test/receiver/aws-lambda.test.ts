import { expect, test, vi } from 'vitest'
import { type LambdaEvent, receiver } from '../../packages/receiver/src/frameworks/aws-lambda.ts'
import { sign } from '../../packages/receiver/src/index.ts'
import { OTHER_SECRET, PUBLISHED, publishedHeaders, sentAt } from './signed-delivery.ts'

const { secret, id, timestamp } = PUBLISHED
const body = '{"text":"Zoë · ✓"}'
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

test('of a REST API, the multi-value headers count', async () => {
  const handler = vi.fn()
  const event = {
    headers: { ...capitalized, 'Wh-signature': other },
    multiValueHeaders: { ...lists(capitalized), 'Wh-signature': [`${other} ${signature}`] },
    ...{ body, isBase64Encoded: false },
  }
  const result = await receive(event, handler)
  expect(result).toMatchObject({ statusCode: 204, body: '', isBase64Encoded: false })
  const delivery = expect.objectContaining({ id, event: JSON.parse(body) })
  expect(handler).toHaveBeenCalledWith(delivery, event)
  // A load balancer with multi-value headers ignores the others.
  expect(result.multiValueHeaders).toBeDefined()
})

test.each<[string, Partial<LambdaEvent>]>([
  ['base64 that is taken for text', { body: Buffer.from(body).toString('base64') }],
  ['no body', { body: null }],
])('%s is rejected, and no handler runs', async (_, part) => {
  const handler = vi.fn()
  const result = await receive({ headers, body, isBase64Encoded: false, ...part }, handler)
  expect(result).toMatchObject({ statusCode: 400, body: 'no-matching-signature' })
  expect(handler).not.toHaveBeenCalled()
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
