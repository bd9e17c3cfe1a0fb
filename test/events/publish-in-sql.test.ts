import { describe, expect, test } from 'vitest'
import { countRows } from '../support/count-rows.ts'
import { useTestDatabase } from '../support/database.ts'
import { createTenant, JOINED, subscribe, TICKET } from '../support/factories.ts'

const database = await useTestDatabase()
const tenant = await createTenant(database.prisma)
await subscribe(database, tenant.organizationId, [JOINED])
await subscribe(database, tenant.organizationId, [JOINED, TICKET])

test('one call stores the events, a delivery for each subscribed webhook, and a job for each delivery', async () => {
  const published = await publish([
    { type: JOINED, data: { n: 1 } },
    { type: TICKET, data: { n: 2 } },
  ])
  expect(published).toEqual([
    { event_id: expect.stringMatching(/^evt_/), delivery_count: 2, duplicate: false },
    { event_id: expect.stringMatching(/^evt_/), delivery_count: 1, duplicate: false },
  ])
  const { rows } = await database.pool.query(
    `select posthorn.type_id('msg', d.id) as id from posthorn.deliveries as d
     where posthorn.type_id('evt', d.event_id) = any ($1)`,
    [published.map((event) => event.event_id)],
  )
  const jobs = await countRows(
    database.pool,
    `graphile_worker.jobs where task_identifier = 'posthorn:deliver' and key = any ($1)`,
    [rows.map((row) => row.id)],
  )
  expect([rows.length, jobs]).toEqual([3, 3])
})

describe('data and previous data', () => {
  const TEXT =
    '{"b": 1.0,  "a":"\\u0000 \\\\u0000 \\ud800 \\"\\n", "b":2, "big":12345678901234567890}'
  const EVENTS = [`[{"type":"${JOINED}", "data":${TEXT}, "previous":${TEXT}}]`]
  const ONE = [JOINED, TEXT, TEXT]

  test.each<[string, string[]]>([
    ['publish_events($1, $2::text)', EVENTS],
    ['publish_events($1, $2::json)', EVENTS],
    ['publish_event($1, $2, $3, previous => $4)', ONE],
    ['publish_event($1, $2, $3::text, previous => $4::json)', ONE],
    ['publish_event($1, $2, $3::json, previous => $4::json)', ONE],
  ])('are stored unchanged by %s', async (sql, values) => {
    expect(await stored(sql, values)).toEqual([{ data: TEXT, previous: TEXT }])
  })

  test('SQL null and JSON null are no previous data', async () => {
    for (const none of ['null', `'null'`]) {
      const rows = await stored(`publish_event($1, $2, '1', previous => ${none})`, [JOINED])
      expect(rows).toEqual([{ data: '1', previous: null }])
    }
  })

  test('of more than 256 KiB together are refused, and nothing is published', async () => {
    const half = 'x'.repeat(131_070)
    const fits = { type: JOINED, data: half, previous: half }
    await publish([fits])
    const before = await counts()
    await expect(publish([fits, { ...fits, previous: `${half}x` }])).rejects.toMatchObject({
      code: '22023',
      message: 'events[1].previous: it is larger than 256 KiB (262,144 bytes) together with data.',
    })
    expect(await counts()).toEqual(before)
  })

  async function stored(sql: string, values: string[]) {
    const [published] = await call(sql, values)
    const { rows } = await database.pool.query(
      `select data, previous from posthorn.events where posthorn.type_id('evt', id) = $1`,
      [published?.event_id],
    )
    return rows
  }
})

test.each([
  ['rollback', 0],
  ['commit', 1],
])('a %s of a host stores %i events with their deliveries and jobs', async (end, count) => {
  const before = await counts()
  const host = await database.pool.connect()
  await host.query('begin')
  await host.query('select * from posthorn.publish_events($1, $2)', [
    tenant.publicOrganizationId,
    JSON.stringify([{ type: JOINED, data: {}, idempotencyKey: `in a host: ${end}` }]),
  ])
  await host.query(end)
  host.release()
  expect(await counts()).toEqual({
    events: before.events + count,
    deliveries: before.deliveries + 2 * count,
    jobs: before.jobs + 2 * count,
  })
})

describe('idempotency keys', () => {
  test('a key twice in one call publishes one event', async () => {
    const before = await counts()
    const events = await publish([
      { type: JOINED, data: 1, idempotencyKey: 'same-call' },
      { type: JOINED, data: 1, idempotencyKey: 'same-call' },
    ])
    expect(events[0]?.event_id).toBe(events[1]?.event_id)
    expect((await counts()).events).toBe(before.events + 1)
  })

  test('a key counts for the same previous data only', async () => {
    const event = { type: JOINED, data: 1, idempotencyKey: 'previous' }
    await publish([{ ...event, previous: 1 }])
    expect(await publish([{ ...event, previous: 1 }])).toMatchObject([{ duplicate: true }])
    for (const other of [event, { ...event, previous: 2 }]) {
      await expect(publish([other])).rejects.toMatchObject({ code: 'PH409' })
    }
  })

  test('after 24 hours a key can be used again', async () => {
    const [first] = await publish([{ type: JOINED, data: 1, idempotencyKey: 'old' }])
    await database.pool.query(
      `update posthorn.idempotency_keys set created_at = now() - interval '25 hours' where key = 'old'`,
    )
    const [second] = await publish([{ type: JOINED, data: 2, idempotencyKey: 'old' }])
    expect(second?.event_id).not.toBe(first?.event_id)
    expect(second?.duplicate).toBe(false)
  })

  test('are separate for each organization', async () => {
    const other = await createTenant(database.prisma)
    const [ours] = await publish([{ type: JOINED, data: 1, idempotencyKey: 'shared' }])
    const event = { type: JOINED, data: 2, idempotencyKey: 'shared' }
    const [theirs] = await publish([event], other.publicOrganizationId)
    expect(theirs?.event_id).not.toBe(ours?.event_id)
  })
})

describe('bad input names the event and the field, and publishes nothing', () => {
  const VALID = { type: JOINED, data: 1 }
  const field = (name: string, value: unknown) => [{ ...VALID, [name]: value }]
  const LARGE = 'x'.repeat(262_143)
  const nul = /^events\[0\]: a field other than data and previous has \\u0000/

  test.each<[string, unknown, RegExp]>([
    ['no type', [{ data: 1 }], /^events\[0\]\.type: it is required/],
    ['no data', [{ type: JOINED }], /^events\[0\]\.data: it is required/],
    ['data over 256 KiB', field('data', LARGE), /^events\[0\]\.data: it is larger than 256 KiB/],
    ['an empty key', field('idempotencyKey', ''), /^events\[0\]\.idempotencyKey: give 1 to 255/],
    ['an event that is not an object', [7], /^events\[0\]: give an object/],
    ['several issues', [{ type: 'x', data: 1 }, { type: JOINED }], /\[0\]\.type.*\[1\]\.data/],
    ['an object instead of an array', VALID, /^events: give a JSON array/],
    ['a type that is not a string', field('type', 7), /^events\[0\]\.type: give a string/],
    ['NUL in an idempotency key', field('idempotencyKey', 'a\0'), nul],
    [
      'a malformed trace context',
      field('traceparent', 'abc'),
      /\.traceparent: give the form of W3C/,
    ],
  ])('%s', async (_case, events, message) => {
    const before = await counts()
    await expectInvalid(publish(events as object[]), message)
    expect(await counts()).toEqual(before)
  })

  test.each([
    ['without a zone', '2026-01-31T12:00:00', 'give an RFC 3339 time'],
    ['of a day that does not exist', '2026-02-30T12:00:00Z', 'it is not a valid time'],
    [
      'after the year 9999 in UTC',
      '9999-12-31T23:59:59-01:00',
      'give a time in the years 1 to 9999',
    ],
  ])('a time %s', async (_case, timestamp, rule) => {
    const message = new RegExp(`^events\\[0\\]\\.timestamp: ${rule}`)
    await expectInvalid(publish(field('timestamp', timestamp)), message)
  })

  test('a key that is unknown', async () => {
    const message =
      'events[0].payload: this key is unknown; the keys are type, data, previous, timestamp, idempotencyKey, traceparent.'
    await expect(publish(field('payload', 'x'))).rejects.toMatchObject({ code: '22023', message })
  })

  test('a type that the catalogue does not have, and names those that it has', async () => {
    const problem = `"x" is not in the catalogue of event types. The event types are ${JOINED}, ${TICKET}.`
    const events = [VALID, { type: 'x', data: 1 }]
    await expect(publish(events)).rejects.toMatchObject({ message: `events[1].type: ${problem}` })
    const one = publishOne(`'x', '1'`)
    await expect(one).rejects.toMatchObject({ message: `type: ${problem}` })
  })

  test.each(['org_00000000000000000000000000', 'wh_00000000000000000000000000', 'org_', ''])(
    'the organization %j',
    async (organization) => {
      await expectInvalid(publish([VALID], organization), /there is no organization/)
    },
  )

  async function expectInvalid(call: Promise<unknown>, message: RegExp): Promise<void> {
    const expected = { code: '22023', message: expect.stringMatching(message) }
    await expect(call).rejects.toMatchObject(expected)
  }
})

test('only the organization’s enabled webhooks that subscribe to the event type get a delivery', async () => {
  const other = await createTenant(database.prisma)
  await subscribe(database, other.organizationId, [TICKET])
  await subscribe(database, other.organizationId, [JOINED], { enabled: false })
  const [joined] = await publish([{ type: JOINED, data: 1 }], other.publicOrganizationId)
  const [ticket] = await publish([{ type: TICKET, data: 1 }], other.publicOrganizationId)
  expect([joined?.delivery_count, ticket?.delivery_count]).toEqual([0, 1])
})

describe('publish_event publishes one event', () => {
  test('with named arguments', async () => {
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'
    const [event] = await publishOne(
      `type => '${JOINED}', data => '{"n": 1}', idempotency_key => 'invoice-7',
       occurred_at => '2026-03-01 12:00:00.5+02', traceparent => '${traceparent}'`,
    )
    expect(event).toMatchObject({ delivery_count: 2, duplicate: false })
    const { rows } = await database.pool.query(
      `select data, occurred_at, trace_parent from posthorn.events where id = posthorn.parse_type_id('evt', $1)`,
      [event?.event_id],
    )
    const occurred = { occurred_at: new Date('2026-03-01T10:00:00.5Z') }
    expect(rows).toEqual([{ data: '{"n": 1}', trace_parent: traceparent, ...occurred }])
    const [again] = await publishOne(
      `type => '${JOINED}', data => '{"n": 1}', idempotency_key => 'invoice-7'`,
    )
    expect(again).toEqual({ event_id: event?.event_id, delivery_count: 0, duplicate: true })
  })

  test.each([
    ['untyped', `$3, $4`],
    ['untyped with a time', `$3, $4, '2026-03-01T00:00:00Z'`],
    ['untyped to the end', `$3, $4, '2026-03-01T00:00:00Z', null`],
    ['typed', `$3::json, $4::text, now()`],
    ['jsonb', `$3::jsonb, $4::varchar`],
  ])('with the fourth argument without a name as idempotency key: %s', async (name, args) => {
    const [first] = await call(`publish_event($1, $2, ${args})`, [JOINED, '1', name])
    expect(first?.duplicate).toBe(false)
    const again = { event_id: first?.event_id, duplicate: true }
    expect(await publishOne(keyed(1, name))).toMatchObject([again])
  })

  const notJson = /^data: it is not JSON/
  const unknown = /^type: "nope" is not in the catalogue of event types\. The event types are/

  test.each<[string, string, RegExp | string]>([
    ['an unknown type', `'nope', '1'`, unknown],
    ['no data', `'${JOINED}', null`, 'data: it is required.'],
    ['two values', `'${JOINED}', '1, "type": "x"'`, notJson],
    ['an empty key', keyed(1, ''), 'idempotency_key: give 1 to 255 characters.'],
    ['an infinite time', `'${JOINED}', '1', occurred_at => 'infinity'`, /^occurred_at: giv/],
  ])('and names the argument for %s', async (_case, args, text) => {
    const before = await counts()
    const message = expect.stringMatching(text)
    await expect(publishOne(args)).rejects.toMatchObject({ code: '22023', message })
    expect(await counts()).toEqual(before)
  })
})

test('a key of another event is PH409 with its index as the detail, from both functions, and nothing is published', async () => {
  await publishOne(keyed(1, 'detail'))
  const before = await counts()
  const conflict = { type: JOINED, data: 2, idempotencyKey: 'detail' }
  const many = publish([{ type: JOINED, data: 1, idempotencyKey: 'fresh' }, conflict])
  const message = expect.stringMatching(/^events\[1\]\.idempotencyKey: /)
  await expect(many).rejects.toMatchObject({ code: 'PH409', detail: '[1]', message })
  const one = publishOne(keyed(2, 'detail'))
  await expect(one).rejects.toMatchObject({ code: 'PH409', detail: '[0]' })
  expect(await counts()).toEqual(before)
})

interface Published {
  readonly event_id: string
  readonly delivery_count: number
  readonly duplicate: boolean
}

/** Calls a function of the schema with the organization and the values. */
async function call(
  sql: string,
  values: readonly unknown[],
  organization = tenant.publicOrganizationId,
): Promise<Published[]> {
  const given = [organization, ...values]
  return (await database.pool.query<Published>(`select * from posthorn.${sql}`, given)).rows
}

const publish = (events: object, organization?: string) =>
  call('publish_events($1, $2)', [JSON.stringify(events)], organization)

/** The arguments after the organization, as SQL. */
const publishOne = (args: string) => call(`publish_event($1, ${args})`, [])

/** The arguments of an event with an idempotency key. */
function keyed(data: number, key: string): string {
  return `'${JOINED}', '${data}', idempotency_key => '${key}'`
}

async function counts() {
  const { rows } = await database.pool.query(
    `select (select count(*)::int from posthorn.events) as events,
       (select count(*)::int from posthorn.deliveries) as deliveries,
       (select count(*)::int from graphile_worker.jobs) as jobs`,
  )
  return rows[0]
}
