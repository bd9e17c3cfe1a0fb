import { describe, expect, test } from 'vitest'
import { parseId } from '../../src/db/ids.ts'
import { putOnHold } from '../../src/scheduling/circuit-breaker.ts'
import { JOINED } from '../support/factories.ts'
import { useApi, useTenant } from './support/api.ts'
import { document } from './support/document.ts'

const api = await useApi()
const tenant = useTenant(api)

type Issue = { readonly path: readonly string[]; readonly code: string }

const run = (operation: string, variables?: object) => tenant.run('events', operation, variables)
const publish = (input: object) => run('PublishEvent', { input: { type: JOINED, ...input } })

const EMPTY = { type: JOINED, data: {} }

describe('publishEvent', () => {
  test('stores the event, and a delivery for each subscribed webhook', async () => {
    await tenant.addWebhook()
    await tenant.addWebhook()
    await (await api.tenant()).addWebhook()
    const input = {
      data: { attendee: 'ada', seats: [1, 2.5, null, true] },
      timestamp: '2026-01-31T13:00:00+01:00',
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    }
    const { id, event, ...counts } = (await publish(input)).publishedEvent
    const { data, traceparent } = input
    const timestamp = '2026-01-31T12:00:00.000Z'
    expect(counts).toMatchObject({ deliveryCount: 2, duplicate: false })
    expect(event).toMatchObject({
      ...{ id, type: { name: JOINED }, data, traceparent, occurredAt: timestamp },
      dataText: JSON.stringify(data),
    })
    expect(JSON.parse(event.body)).toEqual({ id, type: JOINED, timestamp, data })
  })

  test('dataText is kept to the letter, without the white space around it', async () => {
    const text = String.raw`{ "amount": 10.50, "b": 1, "1": 2, "slash": "\/", "a": 1, "a": 2 }`
    const { id } = (await publish({ dataText: ` ${text}\n` })).publishedEvent
    const { rows } = await api.database.pool.query(
      'select data from posthorn.events where id = posthorn.parse_type_id($1, $2)',
      ['evt', id],
    )
    expect(rows).toEqual([{ data: text }])
  })

  test('data of 256 KiB is accepted, and one byte more is rejected', async () => {
    const sized = (bytes: number) => publish({ dataText: `{"a":"${'x'.repeat(bytes - 8)}"}` })
    expect(await sized(262_144)).toMatchObject({ publishedEvent: { deliveryCount: 0 } })
    expect(await sized(262_145)).toMatchObject({ issues: [{ path: ['data'] }] })
  })

  test.each([
    ['no data', {}, 'data', /^data is required\. Send JSON other than null, or its text/],
    ['null', { data: null }, 'data', /^data is required/],
    ['both', { data: {}, dataText: '{}' }, 'dataText', /^dataText is given beside data/],
    ['text that is not JSON', { dataText: '{n:1}' }, 'dataText', /^dataText is not JSON\.$/],
    ['a number that is not exact', { dataText: '9007199254740993' }, 'dataText', /kept exactly/],
    ['half of a character', { dataText: '{"a":"\\ud800"}' }, 'dataText', /lone surrogate/],
    ['what its schema rejects', { dataText: '7' }, 'data', /does not match the schema/],
    [
      'previous data twice',
      { data: {}, previous: {}, previousText: '{}' },
      'previousText',
      /beside/,
    ],
    [
      'previous data that is not JSON',
      { data: {}, previousText: '{n:1}' },
      'previousText',
      /is not/,
    ],
    ['previous data that its schema rejects', { data: {}, previous: 7 }, 'previous', /the schema/],
    [
      'more than 256 KiB with the previous data',
      { data: { a: 'x'.repeat(200_000) }, previous: { a: 'x'.repeat(70_000) } },
      'previous',
      /^previous and data together must have at most 256 KiB/,
    ],
  ])('%s is rejected, as one event and as one of several', async (_what, given, field, message) => {
    const one = await publish(given)
    expect(one.issues[0].path).toContain(field)
    expect(one.message).toMatch(message)
    const events = [EMPTY, { type: JOINED, ...given }]
    const several = await run('PublishEvents', { input: { events } })
    expect(several.issues[0].path.slice(0, 3)).toEqual(['events', '1', field])
  })

  test('previous data are shown as JSON, and to the letter', async () => {
    const query = `mutation ($input: PublishEventInput!) { publishEvent(input: $input) {
      ... on PublishEventSuccess { publishedEvent { event { data previous previousText } } } } }`
    const shown = async (input: object) =>
      (await tenant.ask(query, { input: { ...EMPTY, ...input } })).publishEvent.publishedEvent.event
    const text = String.raw`{ "amount": 10.50, "slash": "\/" }`
    const data = { amount: 11 }
    const previous = { amount: 10.5, slash: '/' }
    const expected = { data, previous, previousText: text }
    expect(await shown({ data, previousText: `${text}\n` })).toEqual(expected)
    expect((await shown({ previous: { b: 1, a: [] } })).previousText).toBe('{"b":1,"a":[]}')
    for (const given of [{}, { previous: null }, { previousText: 'null' }])
      expect(await shown(given)).toEqual({ data: {}, previous: null, previousText: null })
  })

  test('a repeated idempotency key returns the first event, and conflicts with other data, also previous or in another order', async () => {
    const idempotencyKey = 'order-17'
    const input = { data: { a: 1, b: 2 }, idempotencyKey }
    const { id } = (await publish(input)).publishedEvent
    expect((await publish(input)).publishedEvent).toMatchObject({ id, duplicate: true })
    const conflict = { __typename: 'ConflictError', code: 'conflict' }
    for (const other of [
      { data: { a: 2, b: 2 } },
      { data: { b: 2, a: 1 } },
      { previous: { a: 1 } },
    ])
      expect(await publish({ ...input, ...other })).toMatchObject(conflict)
  })

  test('lists each problem with its path in the input', async () => {
    const input = { type: 'event_attendee.joined', data: {}, traceparent: 'x', idempotencyKey: '' }
    const { issues, message } = await publish(input)
    expect(issues.map(({ path, code }: Issue) => [path.join('.'), code])).toEqual([
      ['idempotencyKey', 'invalid_length'],
      ['traceparent', 'invalid_traceparent'],
      ['type', 'unknown_event_type'],
    ])
    expect(message).toBe(issues.map((issue: { message: string }) => issue.message).join(' '))
  })

  const times = ['2026-02-31T00:00:00Z', '2026-01-31', '0000-01-01T00:00:00Z', 1_700_000_000]
  test.each(times)('%s is not a timestamp', async (timestamp) => {
    const input = { ...EMPTY, timestamp }
    const { errors } = await tenant.call(document('events', 'PublishEvent'), { input })
    const message = expect.stringContaining('A DateTime is an RFC 3339 time')
    expect(errors).toMatchObject([{ message, extensions: { code: 'BAD_USER_INPUT' } }])
  })
})

describe('publishEvents', () => {
  test('publishes no event if one is invalid', async () => {
    const events = [EMPTY, { type: 'nope', data: {} }, { type: JOINED, data: 'not an object' }]
    expect((await run('PublishEvents', { input: { events } })).issues).toMatchObject([
      { path: ['events', '2', 'data'], code: 'schema_mismatch' },
      { path: ['events', '1', 'type'], code: 'unknown_event_type' },
    ])
    expect((await run('Events')).nodes).toEqual([])
  })

  test('from 1 to 1,000 events are accepted', async () => {
    const send = (length: number) => {
      const events = Array(length).fill(EMPTY)
      return run('PublishEvents', { input: { events } })
    }
    const rejected = { __typename: 'ValidationError', issues: [{ path: ['events'] }] }
    for (const length of [0, 1_001]) expect(await send(length)).toMatchObject(rejected)
    expect((await send(1_000)).publishedEvents).toHaveLength(1_000)
  })
})

test('an event has the start of its payload, and counts of its deliveries by what came of them', async () => {
  const { pool } = api.database
  const add = async () => parseId('webhook', (await tenant.addWebhook()).id) as string
  const [onHold, disabled] = [await add(), await add()]
  const [retrying, exhausted] = [await add(), await add()]
  // Its delivery is queued.
  await add()
  await putOnHold(pool, onHold)
  await putOnHold(pool, disabled)
  const text = 'ä'.repeat(300)
  await publish({ data: { text } })
  await pool.query('update posthorn.webhooks set enabled = false where id = $1', [disabled])
  await pool.query('update posthorn.deliveries set attempt_count = 1 where webhook_id = $1', [
    retrying,
  ])
  await pool.query(
    `update posthorn.deliveries set state = 'exhausted', finished_at = now(), next_attempt_at = null
     where webhook_id = $1`,
    [exhausted],
  )
  const { events } = await tenant.ask(
    '{ events { nodes { preview deliveryCounts { total exhausted unfinished retrying waiting onHold } } } }',
  )
  const unfinished = { unfinished: 4, retrying: 1, waiting: 2, onHold: 1 }
  const deliveryCounts = { total: 5, exhausted: 1, ...unfinished }
  expect(events.nodes).toEqual([{ preview: `{"text":"${text}`.slice(0, 200), deliveryCounts }])
})
