import { describe, expect, test } from 'vitest'
import { JOINED } from '../support/factories.ts'
import { useApi, useTenant } from './support/api.ts'

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

describe('no input of any length comes back in full', () => {
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
  ])('%s', async (_what, query, variables) => {
    const text = JSON.stringify(await tenant.call(query, variables))
    expect(text.length).toBeLessThan(MAX_RESPONSE)
    expect(text).not.toContain('x'.repeat(7_000))
  })
})
