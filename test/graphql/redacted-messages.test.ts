import { expect, test } from 'vitest'
import { type Answer, useApi, useTenant } from './support/api.ts'
import { document } from './support/document.ts'

/*
 * `graphql` gives its errors no code, so values in its messages are recognized by the texts around them. Tests with a whole
 * message fail when an upgrade changes the text.
 */

const api = await useApi()
const tenant = useTenant(api)

/** The errors have the code and the message, and nothing of what the caller sent. */
function expectRedacted({ errors = [] }: Answer, code: string, message: string) {
  expect(errors.length).toBeGreaterThan(0)
  expect(errors[0].message).toContain(message)
  for (const error of errors) expect(error.extensions).toEqual({ code })
  expect(JSON.stringify(errors)).not.toMatch(/secret|123456|stack/i)
}

test.each([
  ['{ a secret name: }', 'Syntax Error: Expected Name, found "}".'],
  ['query secret secret { a }', 'Syntax Error: Expected "{", found Name.'],
  ['{ a(b: c) 123456 }', 'Syntax Error: Expected Name, found Int.'],
  ['{ a "secret" }', 'Syntax Error: Expected Name, found String.'],
  ['{ a """secret""" }', 'Syntax Error: Expected Name, found BlockString.'],
  ['{ viewer { scopes }', 'Syntax Error'],
  ['{ a(b: "secret_text', 'Syntax Error'],
])('the error for the document %j has its position, and no token of it', async (query, message) => {
  const answer = await tenant.call(query)
  expectRedacted(answer, 'GRAPHQL_PARSE_FAILED', message)
  expect(answer).toMatchObject({ status: 200, errors: [{ locations: [{ line: 1 }] }] })
})

test.each([
  ['{ webhooks(first: "secret") { nodes { id } } }', 'Int cannot represent non-integer value.'],
  ['{ webhook(id: "secret") { id } webhook(id: "secret2") { id } }', ''],
  [
    '{ deliveries(filter: { states: SECRET }) { nodes { id } } }',
    'The value does not exist in "DeliveryState" enum.',
  ],
  [
    '{ deliveries(filter: "secret") { nodes { id } } }',
    'Expected value of type "DeliveryFilter" to be an object.',
  ],
  [
    '{ deliveries(filter: { state: "secret" }) { nodes { id } } }',
    'Expected value of type "DeliveryFilter" not to include unknown field "state". Did you mean "states" or "since"?',
  ],
  [
    'mutation { createWebhook(input: { url: 1, headers: [{ name: "secret" }] }) { __typename } }',
    '',
  ],
])(
  'the errors for the document %j have their positions, and no value of it',
  async (query, message) => {
    const answer = await tenant.call(query)
    expectRedacted(answer, 'GRAPHQL_VALIDATION_FAILED', message)
    for (const { locations } of answer.errors ?? []) expect(locations?.length).toBeGreaterThan(0)
  },
)

const UPDATE = document('webhooks', 'UpdateWebhook')
const AT_INPUT = 'Variable "$input" got an invalid value at "input.'

test.each([
  [
    'query ($value: Int) { webhooks(first: $value) { nodes { id } } }',
    { value: 'secret' },
    'Variable "$value" got an invalid value; Int cannot represent non-integer value.',
  ],
  [
    'query ($value: DeliveryFilter) { deliveries(filter: $value) { nodes { id } } }',
    { value: { since: 'secret' } },
    'Variable "$value" got an invalid value at "value.since"; A DateTime is an RFC 3339 time in a string, such as "2026-01-31T12:00:00Z".',
  ],
  [UPDATE, { id: 'x', input: { headers: [{ name: 'X-Key', value: { secret: 1 } }] } }, AT_INPUT],
  [UPDATE, { id: 'x', input: { headers: [{ value: 'secret' }] } }, AT_INPUT],
])(
  'the errors for variables of %s, %j, have their path, and no value of them',
  async (query, variables, message) => {
    const answer = await tenant.call(query, variables)
    expect(answer.status).toBe(400)
    expectRedacted(answer, 'BAD_USER_INPUT', message)
  },
)
