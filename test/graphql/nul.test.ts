import { expect, test } from 'vitest'
import { JOINED } from '../support/factories.ts'
import { useApi } from './support/api.ts'
import { document } from './support/document.ts'

/* Postgres has no NUL in text. The texts among the arguments are checked before any field reads them. */

const api = await useApi()
const tenant = await api.tenant()

const TEXT = 'a\0b'
const WEBHOOK = { url: 'https://example.com', eventSubscriptions: [JOINED] }
const DELIVERIES =
  'query ($filter: DeliveryFilter) { deliveries(filter: $filter) { nodes { id } } }'
const CREATE = document('webhooks', 'CreateWebhook')

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
  expect(JSON.stringify({ data, errors })).toContain('must not contain the NUL character')
  expect(await tenant.ask('{ webhooks { totalCount } }')).toEqual({ webhooks: { totalCount: 0 } })
})
