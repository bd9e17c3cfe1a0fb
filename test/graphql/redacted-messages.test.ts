import { expect, test } from 'vitest'
import { useApi, useTenant } from './support/api.ts'
import { document } from './support/document.ts'

/* `graphql` gives its errors no code, so values in its messages are recognized by the texts around them. */

const api = await useApi()
const tenant = useTenant(api)

const UPDATE = document('webhooks', 'UpdateWebhook')
const [UNPARSED, INVALID, INPUT] = [
  [200, 'GRAPHQL_PARSE_FAILED'],
  [200, 'GRAPHQL_VALIDATION_FAILED'],
  [400, 'BAD_USER_INPUT'],
] as const

test.each<[readonly [number, string], string, object?]>([
  [UNPARSED, '{ a secret name: }'],
  [UNPARSED, 'query secret secret { a }'],
  [UNPARSED, '{ a(b: c) 123456 }'],
  [UNPARSED, '{ a "secret" }'],
  [UNPARSED, '{ a """secret""" }'],
  [UNPARSED, '{ a(b: "secret_text'],
  [INVALID, '{ webhooks(first: "secret") { nodes { id } } }'],
  [INVALID, '{ webhook(id: "secret") { id } webhook(id: "secret2") { id } }'],
  [INVALID, '{ deliveries(filter: { states: SECRET }) { nodes { id } } }'],
  [INVALID, '{ deliveries(filter: "secret") { nodes { id } } }'],
  [INVALID, '{ deliveries(filter: { state: "secret" }) { nodes { id } } }'],
  [INVALID, 'mutation { createWebhook(input: { url: 1, headers: [{ name: "secret" }] }) { id } }'],
  [INPUT, 'query ($value: Int) { webhooks(first: $value) { nodes { id } } }', { value: 'secret' }],
  [
    INPUT,
    'query ($value: DeliveryFilter) { deliveries(filter: $value) { nodes { id } } }',
    { value: { since: 'secret' } },
  ],
  [INPUT, UPDATE, { id: 'x', input: { headers: [{ name: 'X-Key', value: { secret: 1 } }] } }],
  [INPUT, UPDATE, { id: 'x', input: { headers: [{ value: 'secret' }] } }],
])('%j: the errors of %j with %j have positions, and no value of it', async (of, query, given) => {
  const [status, code] = of
  const answer = await tenant.call(query, given)
  const { errors = [] } = answer
  expect(answer.status).toBe(status)
  expect(errors.length).toBeGreaterThan(0)
  for (const { extensions, locations } of errors) {
    expect(extensions).toEqual({ code })
    expect(locations?.length).toBeGreaterThan(0)
  }
  expect(JSON.stringify(errors)).not.toMatch(/secret|123456|stack/i)
})
