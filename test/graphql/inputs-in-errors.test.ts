import { expect, test } from 'vitest'
import { JOINED } from '../support/factories.ts'
import { useApi, useTenant } from './support/api.ts'
import { document } from './support/document.ts'

const api = await useApi()
const tenant = useTenant(api)

const PUBLISH = `mutation ($input: PublishEventsInput!) { publishEvents(input: $input) {
  __typename ...on ValidationError { message issues { path code message } } } }`

const LONG = 'x'.repeat(250_000)
/** Far more than a client needs, and far less than the input. */
const MAX_RESPONSE = 60_000
const MAX_MESSAGE = 6_010

test('a thousand wrong events get five sentences, a number and a hundred issues', async () => {
  const events = Array.from({ length: 1_000 }, () => ({ type: 'nope', data: {} }))
  const data = await tenant.ask(PUBLISH, { input: { events } })
  const { message, issues } = data.publishEvents
  expect(message).toMatch(/^events\[0\]\.type .*|^There is no event type/)
  expect(message).toMatch(/And 995 more\.$/)
  expect(message.length).toBeLessThan(MAX_MESSAGE)
  expect(issues).toHaveLength(100)
  const few = await tenant.call(PUBLISH, { input: { events: events.slice(0, 3) } })
  expect(few.data.publishEvents.issues).toHaveLength(3)
  expect(few.data.publishEvents.message).not.toContain('more.')
})

const VALID = { type: JOINED, data: {} }

test.each<[string, string, Record<string, unknown>]>([
  ['an event type', PUBLISH, { input: { events: [{ ...VALID, type: LONG }] } }],
  ['a thousand unknown fields', PUBLISH, { input: { events: Array(1_000).fill({ color: 1 }) } }],
  ['an idempotency key', PUBLISH, { input: { events: [{ ...VALID, idempotencyKey: LONG }] } }],
  ['an id', 'query ($id: ID!) { webhook(id: $id) { id } }', { id: LONG }],
  [
    'an id to change',
    'mutation ($id: ID!) { deleteWebhook(id: $id) { __typename ...on UserError { message } } }',
    { id: LONG },
  ],
  [
    'a cursor',
    'query ($after: String) { webhooks(after: $after) { nodes { id } } }',
    { after: LONG },
  ],
  [
    'the name of a header',
    `mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) {
      __typename ...on ValidationError { message issues { code message } } } }`,
    {
      input: {
        url: 'https://receiver.example/',
        eventSubscriptions: [JOINED],
        headers: [{ name: `${LONG} `, value: LONG }],
      },
    },
  ],
])('%s of any length does not come back in full', async (_what, query, variables) => {
  const text = JSON.stringify(await tenant.call(query, variables))
  expect(text.length).toBeLessThan(MAX_RESPONSE)
  expect(text).not.toContain('x'.repeat(7_000))
})

const UPDATE = document('webhooks', 'UpdateWebhook')
const [UNPARSED, INVALID, INPUT] = [
  [200, 'GRAPHQL_PARSE_FAILED'],
  [200, 'GRAPHQL_VALIDATION_FAILED'],
  [400, 'BAD_USER_INPUT'],
] as const

/* `graphql` gives its errors no code, so values in its messages are recognized by the texts around them. */

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

const TEXT = 'a\0b'
const WEBHOOK = { url: 'https://example.com', eventSubscriptions: [JOINED] }
const DELIVERIES =
  'query ($filter: DeliveryFilter) { deliveries(filter: $filter) { nodes { id } } }'
const CREATE = document('webhooks', 'CreateWebhook')

/* Postgres has no NUL in text. Where no rule of a field says so, its error does. */

test.each<[string, string, object?]>([
  ['the document', '{ webhooks(filter: { search: "a\\u0000b" }) { totalCount } }'],
  ['an argument', 'query ($uid: String) { webhook(uid: $uid) { id } }', { uid: TEXT }],
  ['a filter', DELIVERIES, { filter: { key: { path: '$.a', equals: TEXT } } }],
  ['a list', DELIVERIES, { filter: { eventTypes: [JOINED, TEXT] } }],
  ['an input', CREATE, { input: { ...WEBHOOK, description: TEXT } }],
  ['a list of inputs', CREATE, { input: { ...WEBHOOK, headers: [{ name: 'X-A', value: TEXT }] } }],
  [
    'inputs in a list',
    document('events', 'PublishEvents'),
    { input: { events: [{ type: JOINED, data: {}, idempotencyKey: TEXT }] } },
  ],
])('a text with NUL in %s is refused', async (_, query, variables) => {
  const { data, errors } = await tenant.call(query, variables)
  expect(JSON.stringify({ data, errors })).toMatch(/NUL|visible ASCII/)
  expect(await tenant.ask('{ webhooks { totalCount } }')).toEqual({ webhooks: { totalCount: 0 } })
})
