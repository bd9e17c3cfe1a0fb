import { describe, expect, test } from 'vitest'
import { parseId } from '../../src/db/ids.ts'
import { putOnHold } from '../../src/scheduling/circuit-breaker.ts'
import { JOINED, TICKET } from '../support/factories.ts'
import { useApi, useTenant } from './support/api.ts'
import { document } from './support/document.ts'
import { addWebhook } from './support/rows.ts'

const api = await useApi()
const tenant = useTenant(api)

type Issue = { readonly path: readonly string[]; readonly code: string }

function call(operation: string, variables: Record<string, unknown> = {}) {
  return api.call(tenant.token, document('events', operation), variables)
}

describe('publishEvent', () => {
  test('stores the event, and a delivery for each subscribed webhook', async () => {
    await addWebhook(api, tenant.organizationId)
    await addWebhook(api, tenant.organizationId)
    await addWebhook(api, (await api.tenant()).organizationId)
    const input = {
      type: JOINED,
      data: { attendee: 'ada', seats: [1, 2.5, null, true] },
      timestamp: '2026-01-31T13:00:00+01:00',
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    }
    const { data, errors } = await call('PublishEvent', { input })
    expect(errors).toBeUndefined()
    expect(data.publishEvent.publishedEvent.event.occurredAt).toBe('2026-01-31T12:00:00.000Z')
    expect(data.publishEvent.publishedEvent).toMatchObject({
      ...{ deliveryCount: 2, duplicate: false },
      event: {
        ...{ type: { name: JOINED }, data: input.data, traceparent: input.traceparent },
        dataText: JSON.stringify(input.data),
      },
    })
    const { id, event } = data.publishEvent.publishedEvent
    expect(event.id).toBe(id)
    expect(JSON.parse(event.body)).toEqual({
      ...{ id, type: JOINED, timestamp: event.occurredAt, data: input.data },
    })
  })

  test('the payload may be a literal in the document that contains variables', async () => {
    const { data } = await api.call(
      tenant.token,
      `mutation ($name: String) { publishEvent(input: { type: "${JOINED}", data: { a: [1, { b: $name }] } }) {
        ... on PublishEventSuccess { publishedEvent { event { data } } } } }`,
      { name: 'ada' },
    )
    expect(data.publishEvent.publishedEvent.event.data).toEqual({ a: [1, { b: 'ada' }] })
  })

  test('dataText is kept to the letter, without the white space around it', async () => {
    const text = String.raw`{ "amount": 10.50, "b": 1, "1": 2, "slash": "\/", "a": 1, "a": 2 }`
    const { data } = await call('PublishEvent', { input: { type: JOINED, dataText: ` ${text}\n` } })
    const { rows } = await api.database.pool.query(
      'select data from posthorn.events where id = posthorn.parse_type_id($1, $2)',
      ['evt', data.publishEvent.publishedEvent.id],
    )
    expect(rows).toEqual([{ data: text }])
  })

  test.each([
    ['no data', {}, 'data', /^data is required\. Send any JSON value, or the text of one/],
    ['null', { data: null }, 'data', /^data is required/],
    ['both', { data: {}, dataText: '{}' }, 'dataText', /^data and dataText are both given/],
    ['text that is not JSON', { dataText: '{n:1}' }, 'dataText', /^dataText is not JSON\.$/],
    ['a number that is not exact', { dataText: '9007199254740993' }, 'dataText', /kept exactly/],
    ['half of a character', { dataText: '{"a":"\\ud800"}' }, 'data', /lone surrogate/],
    ['what its schema rejects', { dataText: '7' }, 'data', /does not match the schema/],
  ])('%s is rejected, as one event and as one of several', async (_what, given, field, message) => {
    const input = { type: JOINED, ...given }
    const { data: one } = await call('PublishEvent', { input })
    expect(one.publishEvent.issues[0]).toMatchObject({ path: expect.arrayContaining([field]) })
    expect(one.publishEvent.message).toMatch(message)
    const events = [{ type: JOINED, data: {} }, input]
    const { data: several } = await call('PublishEvents', { input: { events } })
    expect(several.publishEvents.issues[0].path.slice(0, 3)).toEqual(['events', '1', field])
  })

  describe('previous', () => {
    const PREVIOUS = `mutation ($input: PublishEventInput!) { publishEvent(input: $input) {
      ... on PublishEventSuccess { publishedEvent { event { data previous previousText } } }
      ... on ConflictError { code } ... on ValidationError { issues { path code message } } } }`

    test('is shown as JSON, and to the letter', async () => {
      const text = String.raw`{ "amount": 10.50, "slash": "\/" }`
      const input = { type: JOINED, data: { amount: 11 }, previousText: `${text}\n` }
      const { data } = await api.call(tenant.token, PREVIOUS, { input })
      expect(data.publishEvent.publishedEvent.event).toEqual({
        data: { amount: 11 },
        previous: { amount: 10.5, slash: '/' },
        previousText: text,
      })
      const asJson = { type: JOINED, data: { amount: 11 }, previous: { b: 1, a: [] } }
      const second = await api.call(tenant.token, PREVIOUS, { input: asJson })
      expect(second.data.publishEvent.publishedEvent.event).toMatchObject({
        previousText: '{"b":1,"a":[]}',
      })
    })

    test.each([[{}], [{ previous: null }], [{ previousText: 'null' }]])(
      '%j is no previous data',
      async (given) => {
        const input = { type: JOINED, data: {}, ...given }
        const { data } = await api.call(tenant.token, PREVIOUS, { input })
        expect(data.publishEvent.publishedEvent.event).toEqual({
          data: {},
          previous: null,
          previousText: null,
        })
      },
    )

    test.each([
      ['both', { previous: {}, previousText: '{}' }, 'previousText', /are both given/],
      ['text that is not JSON', { previousText: '{n:1}' }, 'previousText', /^previousText is not/],
      [
        'what its schema rejects',
        { previous: 7 },
        'previous',
        /^previous does not match the schema/,
      ],
      [
        'more than 256 KiB with data',
        { data: { a: 'x'.repeat(200_000) }, previous: { a: 'x'.repeat(70_000) } },
        'previous',
        /^previous and data together must have at most 256 KiB/,
      ],
    ])('%s is rejected', async (_what, given, field, message) => {
      const input = { type: JOINED, data: {}, ...given }
      const { data } = await api.call(tenant.token, PREVIOUS, { input })
      expect(data.publishEvent.issues).toMatchObject([
        { path: [field], message: expect.stringMatching(message) },
      ])
    })

    test('belongs to the event of an idempotency key', async () => {
      const input = { type: JOINED, data: {}, previous: { a: 1 }, idempotencyKey: 'changed' }
      await api.call(tenant.token, PREVIOUS, { input })
      const other = { ...input, previous: { a: 2 } }
      const { data } = await api.call(tenant.token, PREVIOUS, { input: other })
      expect(data.publishEvent).toEqual({ code: 'conflict' })
    })
  })

  test('a repeated idempotency key returns the first event, and conflicts with other data, also in another order', async () => {
    const input = { type: JOINED, data: { a: 1, b: 2 }, idempotencyKey: 'order-17' }
    const { data: first } = await call('PublishEvent', { input })
    const { data: second } = await call('PublishEvent', { input })
    const { id } = first.publishEvent.publishedEvent
    expect(second.publishEvent.publishedEvent).toMatchObject({ id, duplicate: true })
    for (const data of [
      { a: 2, b: 2 },
      { b: 2, a: 1 },
    ]) {
      const { data: other } = await call('PublishEvent', { input: { ...input, data } })
      expect(other.publishEvent).toMatchObject({ __typename: 'ConflictError', code: 'conflict' })
    }
  })

  test('lists each problem with its path in the input', async () => {
    const input = { type: 'event_attendee.joined', data: {}, traceparent: 'x', idempotencyKey: '' }
    const { data } = await call('PublishEvent', { input })
    const { issues } = data.publishEvent
    expect(issues.map(({ path, code }: Issue) => [path.join('.'), code])).toEqual([
      ['idempotencyKey', 'invalid_length'],
      ['traceparent', 'invalid_traceparent'],
      ['type', 'unknown_event_type'],
    ])
    expect(data.publishEvent.message).toBe(
      issues.map(({ message }: { message: string }) => message).join(' '),
    )
  })

  test.each([
    '2026-02-31T00:00:00Z',
    '2026-01-31',
    'yesterday',
    '0000-01-01T00:00:00Z',
    1_700_000_000,
  ])('%s is not a timestamp', async (timestamp) => {
    const { data, errors } = await call('PublishEvent', {
      input: { type: JOINED, data: {}, timestamp },
    })
    expect(data).toBeUndefined()
    expect(errors).toMatchObject([
      {
        message: expect.stringContaining('A DateTime is an RFC 3339 time'),
        extensions: { code: 'BAD_USER_INPUT' },
      },
    ])
  })
})

describe('publishEvents', () => {
  test('publishes no event if one is invalid', async () => {
    const events = [
      { type: JOINED, data: {} },
      { type: 'nope', data: {} },
      { type: JOINED, data: 'not an object' },
    ]
    const { data } = await call('PublishEvents', { input: { events } })
    const { issues } = data.publishEvents
    expect(issues.map(({ path, code }: Record<string, unknown>) => ({ path, code }))).toEqual([
      { path: ['events', '2', 'data'], code: 'schema_mismatch' },
      { path: ['events', '1', 'type'], code: 'unknown_event_type' },
    ])
    const { data: list } = await call('Events')
    expect(list.events.nodes).toEqual([])
  })

  test.each([0, 1_001])('%i events are rejected', async (length) => {
    const events = Array.from({ length }, () => ({ type: JOINED, data: {} }))
    const { data } = await call('PublishEvents', { input: { events } })
    expect(data.publishEvents).toMatchObject({
      __typename: 'ValidationError',
      issues: [{ path: ['events'] }],
    })
  })

  test('1,000 events are accepted', async () => {
    const events = Array.from({ length: 1_000 }, (_, i) => ({ type: JOINED, data: { i } }))
    const { data } = await call('PublishEvents', { input: { events } })
    expect(data.publishEvents.publishedEvents).toHaveLength(1_000)
  })
})

describe('event, events and eventTypes', () => {
  test('an event has the start of its payload, and says what came of its deliveries', async () => {
    await addWebhook(api, tenant.organizationId)
    const text = 'ä'.repeat(300)
    await call('PublishEvent', { input: { type: JOINED, data: { text } } })
    await call('PublishEvent', { input: { type: TICKET, data: { n: 1 } } })
    await api.database.pool.query(
      "update posthorn.deliveries set state = 'exhausted', finished_at = now(), next_attempt_at = null",
    )
    const counts = 'deliveryCounts { total succeeded exhausted canceled unfinished }'
    const query = `{ events { nodes { preview ${counts} } } }`
    const { data } = await api.call(tenant.token, query)
    expect(data.events.nodes).toEqual([
      {
        preview: '{"n":1}',
        deliveryCounts: { total: 0, succeeded: 0, exhausted: 0, canceled: 0, unfinished: 0 },
      },
      {
        preview: `{"text":"${text}`.slice(0, 200),
        deliveryCounts: { total: 1, succeeded: 0, exhausted: 1, canceled: 0, unfinished: 0 },
      },
    ])
  })

  test('of the deliveries of an event, those that retry, wait, and wait for a webhook on hold are counted', async () => {
    const hooks = [
      await addWebhook(api, tenant.organizationId),
      await addWebhook(api, tenant.organizationId),
      await addWebhook(api, tenant.organizationId),
    ].map(({ id }) => parseId('webhook', id) as string)
    const [onHold, disabled, retrying] = hooks as [string, string, string]
    await putOnHold(api.database.pool, onHold)
    await putOnHold(api.database.pool, disabled)
    await call('PublishEvent', { input: { type: JOINED, data: {} } })
    await api.database.pool.query('update posthorn.webhooks set enabled = false where id = $1', [
      disabled,
    ])
    await api.database.pool.query(
      'update posthorn.deliveries set attempt_count = 1 where webhook_id = $1',
      [retrying],
    )
    const { data } = await api.call(
      tenant.token,
      '{ events { nodes { deliveryCounts { total unfinished retrying waiting onHold } } } }',
    )
    expect(data.events.nodes).toEqual([
      { deliveryCounts: { total: 3, unfinished: 3, retrying: 1, waiting: 2, onHold: 1 } },
    ])
  })

  test('an event has its payload and its exact body', async () => {
    const { data } = await call('PublishEvent', {
      input: { type: JOINED, data: { 'ü\u0000': [] } },
    })
    const { id } = data.publishEvent.publishedEvent
    const query =
      'query ($id: ID!) { event(id: $id) { id data body publishedAt deliveries { nodes { id } } } }'
    const { data: read } = await api.call(tenant.token, query, { id })
    expect(read.event.data).toEqual({ 'ü\u0000': [] })
    expect(JSON.parse(read.event.body)).toMatchObject({ id, type: JOINED, data: { 'ü\u0000': [] } })
    expect(Math.abs(Date.parse(read.event.publishedAt) - Date.now())).toBeLessThan(60_000)
  })

  test('the catalogue is sorted by name, without archived types', async () => {
    const { data } = await api.call(
      tenant.token,
      '{ eventTypes { id name description schema example archivedAt } }',
    )
    expect(data.eventTypes).toMatchObject([
      {
        ...{ name: JOINED, description: 'An attendee has been added to an event.' },
        ...{ id: `type_${JOINED}`, schema: { type: 'object' }, archivedAt: null },
        example: { attendee: { id: 'at_77' }, event: { id: 'ev_1042' } },
      },
      {
        ...{ name: TICKET, description: 'A ticket has been successfully issued to an attendee.' },
        example: { ticket: { id: 'tk_9001' } },
      },
    ])
    await api.database.prisma.eventType.create({
      data: { name: 'gone', description: 'Gone.', archivedAt: new Date() },
    })
    const { data: after } = await api.call(
      tenant.token,
      '{ eventTypes { id } node(id: "type_gone") { id ... on EventType { archivedAt } } }',
    )
    expect(after.eventTypes).toEqual([{ id: `type_${JOINED}` }, { id: `type_${TICKET}` }])
    expect(after.node.archivedAt).not.toBeNull()
  })
})
