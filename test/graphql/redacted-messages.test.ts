import { expect, test } from 'vitest'
import { useApi, useTenant } from './support/api.ts'

/*
 * `graphql` gives its errors no code, so values in its messages are recognized by the texts around them. Each test has
 * one of these texts, and fails when an upgrade changes the text.
 */

const api = useApi()
const tenant = useTenant(api)

test.each([
  ['{ a secret name: }', 'Syntax Error: Expected Name, found "}".'],
  ['query secret secret { a }', 'Syntax Error: Expected "{", found Name.'],
  ['{ a(b: c) 123456 }', 'Syntax Error: Expected Name, found Int.'],
  ['{ a(b: c) 1234.56 }', 'Syntax Error: Expected Name, found Float.'],
  ['{ a "secret" }', 'Syntax Error: Expected Name, found String.'],
  ['{ a """secret""" }', 'Syntax Error: Expected Name, found BlockString.'],
])('the error for the document %j has no tenant.token of it', async (query, message) => {
  const { errors } = await api.call(tenant.token, query)
  expect(errors).toMatchObject([{ message }])
})

test.each([
  ['webhooks(first: "secret") { nodes { id } }', 'Int cannot represent non-integer value.'],
  [
    'deliveries(filter: { states: SECRET }) { nodes { id } }',
    'The value does not exist in "DeliveryState" enum.',
  ],
  [
    'deliveries(filter: "secret") { nodes { id } }',
    'Expected value of type "DeliveryFilter" to be an object.',
  ],
  [
    'deliveries(filter: { state: "secret" }) { nodes { id } }',
    'Expected value of type "DeliveryFilter" not to include unknown field "state". Did you mean "states" or "since"?',
  ],
])('the error for the field %j has no value of it', async (field, message) => {
  const { errors } = await api.call(tenant.token, `{ ${field} }`)
  expect(errors).toMatchObject([{ message }])
})

test.each([
  [
    'Int',
    'webhooks(first: $value) { nodes { id } }',
    'secret',
    'Variable "$value" got an invalid value; Int cannot represent non-integer value.',
  ],
  [
    'DeliveryFilter',
    'deliveries(filter: $value) { nodes { id } }',
    { since: 'secret' },
    'Variable "$value" got an invalid value at "value.since"; A DateTime is an RFC 3339 time in a string, such as "2026-01-31T12:00:00Z".',
  ],
])(
  'the error for a variable of the type %s has no value of it',
  async (type, field, value, message) => {
    const { errors } = await api.call(tenant.token, `query ($value: ${type}) { ${field} }`, {
      value,
    })
    expect(errors).toMatchObject([{ message }])
  },
)
