import { expect, test } from 'vitest'
import { JOINED } from '../support/factories.ts'
import { useApi, useTenant } from './support/api.ts'

const PAID = {
  all: [
    { path: '$.status', op: 'changed' },
    { path: '$.status', op: 'equals', value: 'paid' },
  ],
}

const api = useApi()
const tenant = useTenant(api)

// biome-ignore lint/suspicious/noExplicitAny: a test knows the shape of its response.
async function call(document: string, variables: Record<string, unknown> = {}): Promise<any> {
  const { data, errors } = await api.call(tenant.token, document, variables)
  expect(errors).toBeUndefined()
  return Object.values(data)[0]
}

const create = (filter: object) =>
  call(
    `mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) {
      ... on ValidationError { issues { path code message } }
      ... on CreateWebhookSuccess { webhook { id filterText } }
    } }`,
    {
      input: {
        url: 'https://example.com/hook',
        eventSubscriptions: [JOINED],
        enabled: true,
        filter,
      },
    },
  )

async function publish(data: object, previous?: object) {
  const { publishedEvent } = await call(
    `mutation ($input: PublishEventInput!) { publishEvent(input: $input) {
      ... on PublishEventSuccess { publishedEvent { id deliveryCount } }
    } }`,
    { input: { type: JOINED, data, previous } },
  )
  return publishedEvent as { id: string; deliveryCount: number }
}

test('a filter asks whether a field has changed: on publishing, in a trial and in an explanation', async () => {
  const { webhook } = await create(PAID)
  expect(webhook.filterText).toBe(
    '{"all":[{"path":"$.status","op":"changed"},{"path":"$.status","op":"equals","value":"paid"}]}',
  )
  const paid = await publish({ status: 'paid' }, { status: 'open' })
  const edited = await publish({ status: 'paid', note: 'b' }, { status: 'paid', note: 'a' })
  const alone = await publish({ status: 'paid' })
  expect([paid, edited, alone].map(({ deliveryCount }) => deliveryCount)).toEqual([1, 0, 0])

  const SAME = '$.status must change, and is the same as before.'
  const NONE =
    '$.status must change, and the event has no previous data, without which nothing has changed.'
  const trial = await call(
    `query ($filter: JSON) { testFilter(eventSubscriptions: ["${JOINED}"], filter: $filter) {
      events { matches refusedBy }
    } }`,
    { filter: PAID },
  )
  expect(trial.events).toEqual([
    { matches: false, refusedBy: NONE },
    { matches: false, refusedBy: SAME },
    { matches: true, refusedBy: null },
  ])

  const why = (eventId: string) =>
    call(
      `query ($e: ID!, $w: ID!) { whyNotDelivered(eventId: $e, webhookId: $w) { reason message } }`,
      { e: eventId, w: webhook.id },
    )
  const refused = 'The filter of the webhook refused the event.'
  expect(await why(paid.id)).toMatchObject({ reason: 'DELIVERY_EXISTS' })
  expect(await why(edited.id)).toEqual({ reason: 'FILTERED_OUT', message: `${refused} ${SAME}` })
  expect(await why(alone.id)).toEqual({ reason: 'FILTERED_OUT', message: `${refused} ${NONE}` })
})

test('the operator takes no value, and a near name suggests it', async () => {
  const { issues } = await create({
    any: [
      { path: '$.status', op: 'changed', value: 'paid' },
      { path: '$.status', op: 'chnaged' },
    ],
  })
  expect(issues).toMatchObject([
    {
      path: ['filter', 'any', '0', 'value'],
      message: expect.stringMatching(
        /must be left out for changed\. For the value after the change, add a condition with equals\./,
      ),
    },
    { path: ['filter', 'any', '1', 'op'], message: expect.stringMatching(/"changed"\?/) },
  ])
})

test('an unreadable text in the previous data leaves the event undecided, so it is delivered', async () => {
  await create({ path: '$.name', op: 'changed' })
  const published = await publish({ name: 'Ada' }, { name: 'A\u0000' })
  expect(published.deliveryCount).toBeGreaterThan(0)
})
