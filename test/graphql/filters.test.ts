import { describe, expect, test } from 'vitest'
import { countFilteredEvents } from '../../src/webhooks/statistics.ts'
import { JOINED, TICKET } from '../support/factories.ts'
import { useApi, useTenant } from './support/api.ts'
import { recordAttempt } from './support/rows.ts'

const PAID = {
  all: [
    { path: '$.status', op: 'equals', value: 'paid' },
    { path: '$.total', op: 'greater', value: 100 },
  ],
}

const api = await useApi()
const tenant = useTenant(api)

// biome-ignore lint/suspicious/noExplicitAny: a test knows the shape of its response.
const call = async (document: string, variables?: object): Promise<any> =>
  Object.values(await tenant.ask(document, variables))[0]

const WEBHOOK = `{ __typename
  ... on ValidationError { issues { path code message } }
  ... on %Success {
    webhook { id revision updatedAt filter filterText subscriptions eventSubscriptions { name } }
  } }`
const CREATE = `mutation ($input: CreateWebhookInput!) {
  createWebhook(input: $input) ${WEBHOOK.replace('%', 'CreateWebhook')} }`
const UPDATE = `mutation ($id: ID!, $input: UpdateWebhookInput!) {
  updateWebhook(id: $id, input: $input) ${WEBHOOK.replace('%', 'UpdateWebhook')} }`
const FIELDS = { url: 'https://example.com/hook', eventSubscriptions: [JOINED], enabled: true }

const create = (input: object) => call(CREATE, { input: { ...FIELDS, ...input } })
const update = (id: string, input: object) => call(UPDATE, { id, input })

const publish = async (data: unknown, type = JOINED, previous?: unknown) =>
  (await tenant.run('events', 'PublishEvent', { input: { type, data, previous } })).publishedEvent

const why = (eventId: string, webhookId: string) =>
  call(
    `query ($eventId: ID!, $webhookId: ID!) {
      whyNotDelivered(eventId: $eventId, webhookId: $webhookId) { reason message delivery { id } }
    }`,
    { eventId, webhookId },
  )

describe('a filter', () => {
  test('is stored in its normal form, changed and removed', async () => {
    const filter = { path: '$["status"]', op: 'equals', value: 'paid' }
    const { webhook } = await create({ filter })
    expect(webhook).toMatchObject({
      filter: { path: '$.status', op: 'equals', value: 'paid' },
      filterText: '{"path":"$.status","op":"equals","value":"paid"}',
    })
    const same = await update(webhook.id, { filter: webhook.filter })
    expect(same.webhook.revision).toBe(webhook.revision)
    const text = '{"path":"$.n","op":"equals","value":9007199254740993}'
    const changed = await update(webhook.id, { filterText: text })
    expect(changed.webhook.filterText).toBe(text)
    const kept = await update(webhook.id, { description: 'Orders' })
    expect(kept.webhook.filterText).toBe(text)
    const removed = await update(webhook.id, { filter: null })
    expect(removed.webhook).toMatchObject({ filter: null, filterText: null })
  })

  test('that breaks rules is refused with all of them, and nothing is created', async () => {
    const rules: [condition: unknown, field: string][] = [
      [{ path: 'status', op: 'equals', value: 'paid' }, '.path'],
      [{ path: '$.a', op: 'equal', value: 1 }, '.op'],
      [{ path: '$.b', op: 'equals', value: { c: 1 } }, '.value'],
      [{ path: '$.e', op: 'exists', value: true }, '.value'],
      [{ path: '$.h', op: 'equals', value: 'x'.repeat(1_100) }, '.value'],
      [{ path: '$.j', op: 'equals', value: 1, vaule: 2 }, '.vaule'],
      [{ not: { path: '$.k', op: 'exists' }, any: [] }, '.not'],
      [{ any: [] }, '.any'],
      ['text', ''],
      [{ path: '$.l', op: 'changed', value: 'paid' }, '.value'],
      [{ path: '$.m', op: 'chnaged' }, '.op'],
      [{ path: '$.n', op: 'notEquals', value: 1 }, '.op'],
    ]
    const filter = { all: rules.map(([condition]) => condition) }
    const { __typename, issues } = await create({ filter })
    expect(__typename).toBe('ValidationError')
    expect(issues.map(({ path }: { path: string[] }) => path.join('.'))).toEqual(
      rules.map(([, field], i) => `filter.all.${i}${field}`),
    )
    expect(issues[1].message).toContain('Did you mean "equals"?')
    expect(issues.at(-1).message).toMatch(/must be one of [^.]+\. Write {"not": {…}} around/)
    expect(issues[9].message).toContain('must be left out.')
  })

  test('is refused beyond 20 conditions and 8 levels, as broken JSON, and twice', async () => {
    const one = { path: '$.a', op: 'exists' }
    const many = await create({ filter: { all: Array.from({ length: 21 }, () => one) } })
    expect(many.issues).toMatchObject([{ path: ['filter'], code: 'too_many' }])
    let deep: object = one
    for (let i = 0; i < 8; i++) deep = { not: deep }
    expect((await create({ filter: deep })).issues).toMatchObject([{ code: 'too_big' }])
    expect((await create({ filterText: '{"path":' })).issues).toMatchObject([{ code: 'malformed' }])
    const both = await create({ filter: one, filterText: '{}' })
    expect(both.issues).toMatchObject([{ path: ['filterText'], code: 'ambiguous' }])
  })

  test('decides which events have a delivery, and counts those that it refuses', async () => {
    const { webhook } = await create({ filter: PAID })
    await create({})
    expect((await publish({ status: 'paid', total: 100.5 })).deliveryCount).toBe(2)
    expect((await publish({ status: 'paid', total: 100 })).deliveryCount).toBe(1)
    expect((await publish({ status: 'open', total: 500 })).deliveryCount).toBe(1)
    const { rows } = await api.database.pool.query(
      'select * from posthorn.publish_event($1, $2, $3::text)',
      [tenant.publicOrganizationId, JOINED, '{"status":"\\u0000"}'],
    )
    expect(rows).toMatchObject([{ delivery_count: 2 }])
    while ((await countFilteredEvents(api.database.pool)) > 0);
    const { statistics } = await call(
      `query ($id: ID!, $since: DateTime!) {
        webhook(id: $id) { statistics(since: $since, bucket: HOUR) { filteredOut filterUndecided } }
      }`,
      { id: webhook.id, since: new Date(Date.now() - 60_000) },
    )
    const sumOf = (name: string) =>
      statistics.reduce(
        (sum: number, bucket: Record<string, number>) => sum + (bucket[name] ?? 0),
        0,
      )
    expect([sumOf('filteredOut'), sumOf('filterUndecided')]).toEqual([2, 1])
  })

  test('of today does not stop the redelivery of a delivery', async () => {
    const { webhook } = await create({})
    await publish({ status: 'open' })
    const ids = await tenant.deliveryIds()
    await recordAttempt(api.database, ids[0], 500)
    await update(webhook.id, { filter: PAID })
    const redelivered = await tenant.run('deliveries', 'Redeliver', { ids })
    expect(redelivered.deliveries[0].state).toBe('RETRYING')
  })
})

describe('a trial', () => {
  const TRY = `query ($filter: JSON, $filterText: String, $types: [String!]!) {
    testFilter(eventSubscriptions: $types, filter: $filter, filterText: $filterText) {
      tested matched issues { path code } events { matches refusedBy event { id type { name } } }
    }
  }`
  const attempt = (variables: object) => call(TRY, { types: [JOINED], ...variables })

  test('tells which of the newest events match, and why others do not', async () => {
    const [type, refusedBy] = [{ name: JOINED }, 'It does not meet: $.total is greater than 100.']
    const first = { id: (await publish({ status: 'paid', total: 500 })).id }
    const second = { id: (await publish({ status: 'paid', total: 50 })).id }
    await publish({ status: 'paid', total: 500 }, TICKET)
    expect(await attempt({ filter: PAID })).toEqual({
      tested: 2,
      matched: 1,
      issues: [],
      events: [
        { matches: false, refusedBy, event: { ...second, type } },
        { matches: true, refusedBy: null, event: { ...first, type } },
      ],
    })
    expect((await attempt({ filter: PAID, types: ['event_attendee.*'] })).tested).toBe(3)
  })

  test('reads at most 100 events, and none for a filter that breaks a rule', async () => {
    const data = Array.from({ length: 120 }, (_, n) => ({ type: JOINED, data: { n } }))
    await tenant.run('events', 'PublishEvents', { input: { events: data } })
    const filter = { path: '$.n', op: 'greaterOrEqual', value: 100 }
    expect(await attempt({ filter })).toMatchObject({ tested: 100, matched: 20 })
    expect(await attempt({ filter: { path: '$.n', op: 'is' } })).toMatchObject({
      tested: 0,
      issues: [{ path: ['filter', 'op'], code: 'invalid_value' }],
    })
    expect(await attempt({})).toMatchObject({ issues: [{ path: ['filter'], code: 'required' }] })
  })

  test('warns of paths that the schema of a type does not have', async () => {
    const warnings = async (path: string) => {
      const document = `query ($filter: JSON) { testFilter(eventSubscriptions: ["filters_warned.sent"], filter: $filter) { warnings } }`
      return (await call(document, { filter: { path, op: 'exists' } })).warnings
    }
    const schema = { type: 'object', properties: { total: { type: 'string' } } }
    await api.database.prisma.eventType.create({
      data: { name: 'filters_warned.sent', description: 'An order.', schema },
    })
    expect(await warnings('$.totl')).toEqual(['The schema of filters_warned.sent has no `totl`.'])
    expect(await warnings('$.total')).toEqual([])
  })
})

test('why an event was not delivered is told by the webhook as it was when the event was published', async () => {
  const before = await publish({ status: 'paid', total: 500 })
  const { webhook } = await create({ filter: PAID })
  const { id } = webhook
  const delivered = await publish({ status: 'paid', total: 500 })
  const refused = await publish({ status: 'paid', total: 7 })
  const ticket = await publish({}, TICKET)
  await update(id, { enabled: false })
  const missed = await publish({ status: 'paid', total: 500 })
  const both = await publish({}, TICKET)
  await update(id, { enabled: true, filter: null, eventSubscriptions: ['*'] })
  const message =
    'The filter of the webhook refused the event. It does not meet: $.total is greater than 100.'
  const delivery = { id: expect.stringMatching(/^msg_/) }
  for (const [event, expected] of [
    [before, { reason: 'CREATED_LATER' }],
    [delivered, { reason: 'DELIVERY_EXISTS', delivery }],
    [refused, { reason: 'FILTERED_OUT', message, delivery: null }],
    [ticket, { reason: 'NOT_SUBSCRIBED' }],
    [missed, { reason: 'DISABLED' }],
    // To enable the webhook would not have helped.
    [both, { reason: 'NOT_SUBSCRIBED' }],
  ]) {
    expect(await why(event.id, id)).toMatchObject(expected)
  }
  const nobody = 'query ($id: ID!) { event(id: $id) { notDelivered { webhookId reason message } } }'
  const of = async (eventId: string) => (await call(nobody, { id: eventId })).notDelivered
  const own = (all: { webhookId: string }[]) => all.filter(({ webhookId }) => webhookId === id)
  expect(own(await of(refused.id))).toEqual([{ webhookId: id, reason: 'FILTERED_OUT', message }])
  expect(own(await of(delivered.id))).toEqual([])
})

describe('a pattern', () => {
  test('includes types that come later, and no operational event', async () => {
    const { webhook } = await create({ eventSubscriptions: ['filters.*', TICKET] })
    expect(webhook).toMatchObject({
      subscriptions: ['filters.*', TICKET],
      eventSubscriptions: [{ name: TICKET }],
    })
    await api.database.prisma.eventType.create({
      data: { name: 'filters.paid', description: 'An invoice was paid.' },
    })
    expect((await publish({}, 'filters.paid')).deliveryCount).toBe(1)
    expect((await publish({}, JOINED)).deliveryCount).toBe(0)
    const query =
      'query ($id: ID!) { webhook(id: $id) { subscriptions eventSubscriptions { name } } }'
    expect(await call(query, { id: webhook.id })).toEqual({
      subscriptions: ['filters.*', TICKET],
      eventSubscriptions: [{ name: TICKET }, { name: 'filters.paid' }],
    })
    const everything = await create({ eventSubscriptions: ['*'] })
    const names = everything.webhook.eventSubscriptions.map(({ name }: { name: string }) => name)
    expect(names).toContain(JOINED)
    expect(names.filter((name: string) => name.startsWith('posthorn.'))).toEqual([])
  })

  test.each(['order*', '*.paid', 'posthorn.*', '**'])('%s is refused', async (pattern) => {
    const { issues } = await create({ eventSubscriptions: [pattern] })
    expect(issues).toMatchObject([{ path: ['eventSubscriptions', '0'] }])
  })
})
