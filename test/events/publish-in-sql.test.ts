import { beforeAll, describe, expect, test } from 'vitest'
import { useTestDatabase } from '../support/database.ts'
import { createTenant, JOINED, subscribe, TICKET } from '../support/factories.ts'

const database = await useTestDatabase()
let tenant: Awaited<ReturnType<typeof createTenant>>

beforeAll(async () => {
  tenant = await createTenant(database.prisma)
  await subscribe(database, tenant.organizationId, [JOINED])
  await subscribe(database, tenant.organizationId, [JOINED, TICKET])
})

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
  const { rows: jobs } = await database.pool.query<{ key: string; payload: object }>(
    // `complete_jobs` returns the payload, which the view `jobs` does not have.
    `select key, payload from graphile_worker.complete_jobs(array(
       select id from graphile_worker.jobs where task_identifier = 'posthorn:deliver' and key = any ($1)))`,
    [rows.map((row) => row.id)],
  )
  expect(jobs).toHaveLength(3)
  for (const { key, payload } of jobs) {
    expect(payload).toEqual({
      deliveryId: key,
      webhookId: expect.stringMatching(/^wh_/),
      eventType: expect.stringMatching(/^event_attendee/),
      organizationId: tenant.publicOrganizationId,
    })
  }
})

describe('data', () => {
  const DATA =
    '{"b": 1.0,  "a":"\\u0000 \\\\u0000 \\ud800 \\"\\n", "b":2, "big":12345678901234567890}'

  test.each(['text', 'json'])('is stored unchanged as %s', async (type) => {
    const [events, alone] = [
      await publishAs(type, `[{"type":"${JOINED}", "data":${DATA}}]`),
      await publishOneAs(type, DATA),
    ]
    expect(await dataOf(events?.event_id)).toBe(DATA)
    expect(await dataOf(alone?.event_id)).toBe(DATA)
  })

  test('is stored as Postgres prints it if it is jsonb', async () => {
    const data = '{"b": 1.0,  "a":"\\u00fc", "b":2}'
    const [events, alone] = [
      await publishAs('jsonb', `[{"type":"${JOINED}", "data":${data}}]`),
      await publishOneAs('jsonb', data),
    ]
    expect(await dataOf(events?.event_id)).toBe('{"a": "ü", "b": 2}')
    expect(await dataOf(alone?.event_id)).toBe('{"a": "ü", "b": 2}')
  })

  test('can be any JSON value', async () => {
    for (const data of ['null', 'false', '0', '""', '[]', '" "']) {
      expect(await dataOf((await publishOneAs('text', data))?.event_id)).toBe(data)
    }
  })
})

describe('inside the transaction of a host application', () => {
  test('a rollback leaves nothing', async () => {
    const before = await counts()
    const host = await database.pool.connect()
    await host.query('begin')
    await host.query('select * from posthorn.publish_events($1, $2)', [
      tenant.publicOrganizationId,
      JSON.stringify([{ type: JOINED, data: {}, idempotencyKey: 'rolled-back' }]),
    ])
    await host.query('rollback')
    host.release()
    expect(await counts()).toEqual(before)
  })

  test('a commit stores the event, its deliveries and its jobs', async () => {
    const before = await counts()
    const host = await database.pool.connect()
    await host.query('begin')
    await host.query('select * from posthorn.publish_events($1, $2)', [
      tenant.publicOrganizationId,
      JSON.stringify([{ type: JOINED, data: {} }]),
    ])
    await host.query('commit')
    host.release()
    expect(await counts()).toEqual({
      events: before.events + 1,
      deliveries: before.deliveries + 2,
      jobs: before.jobs + 2,
    })
  })
})

describe('idempotency keys', () => {
  test('a repeated key returns the first event, and adds no delivery', async () => {
    const [first] = await publish([{ type: JOINED, data: { n: 1 }, idempotencyKey: 'twice' }])
    const before = await counts()
    const [second] = await publish([{ type: JOINED, data: { n: 1 }, idempotencyKey: 'twice' }])
    expect(second).toEqual({ event_id: first?.event_id, delivery_count: 0, duplicate: true })
    expect(await counts()).toEqual(before)
  })

  test('a key twice in one call publishes one event', async () => {
    const before = await counts()
    const events = await publish([
      { type: JOINED, data: 1, idempotencyKey: 'same-call' },
      { type: JOINED, data: 1, idempotencyKey: 'same-call' },
    ])
    expect(events[0]?.event_id).toBe(events[1]?.event_id)
    expect((await counts()).events).toBe(before.events + 1)
  })

  test('a key that was used for another event is rejected, and nothing is published', async () => {
    await publish([{ type: JOINED, data: { n: 1 }, idempotencyKey: 'other' }])
    const before = await counts()
    await expect(
      publish([
        { type: JOINED, data: { n: 3 }, idempotencyKey: 'fresh' },
        { type: JOINED, data: { n: 2 }, idempotencyKey: 'other' },
      ]),
    ).rejects.toMatchObject({
      code: 'PH409',
      message: expect.stringMatching(/^events\[1\]\.idempotencyKey: /),
    })
    expect(await counts()).toEqual(before)
  })

  test('concurrent calls with one key publish one event', async () => {
    const before = await counts()
    const calls = await Promise.all(
      Array.from({ length: 8 }, () => publish([{ type: JOINED, data: 1, idempotencyKey: 'race' }])),
    )
    expect(new Set(calls.map(([event]) => event?.event_id)).size).toBe(1)
    expect((await counts()).events).toBe(before.events + 1)
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
    const [theirs] = await publish(
      [{ type: JOINED, data: 2, idempotencyKey: 'shared' }],
      other.publicOrganizationId,
    )
    expect(theirs?.event_id).not.toBe(ours?.event_id)
  })
})

describe('bad input names the event and the field, and publishes nothing', () => {
  test.each([
    [
      'an unknown type',
      [
        { type: JOINED, data: 1 },
        { type: 'nope', data: 1 },
      ],
      /^events\[1\]\.type: "nope" is not in the catalogue/,
    ],
    ['no type', [{ data: 1 }], /^events\[0\]\.type: it is required/],
    ['no data', [{ type: JOINED }], /^events\[0\]\.data: it is required/],
    [
      'data over 256 KiB',
      [{ type: JOINED, data: 'x'.repeat(262_143) }],
      /^events\[0\]\.data: it is larger than 256 KiB/,
    ],
    [
      'an empty idempotency key',
      [{ type: JOINED, data: 1, idempotencyKey: '' }],
      /^events\[0\]\.idempotencyKey: give 1 to 255/,
    ],
    ['an event that is not an object', [7], /^events\[0\]: give an object/],
    [
      'several issues at once',
      [{ type: 'nope', data: 1 }, { type: JOINED }],
      /events\[0\]\.type.*events\[1\]\.data/,
    ],
    ['an object instead of an array', { type: JOINED, data: 1 }, /^events: give a JSON array/],
    ['a type that is not a string', [{ type: 7, data: 1 }], /^events\[0\]\.type: give a string/],
    [
      'NUL in an idempotency key',
      [{ type: JOINED, data: 1, idempotencyKey: 'a\0' }],
      /^events\[0\]: a field other than data and previous has \\u0000/,
    ],
    [
      'a time without a zone',
      [{ type: JOINED, data: 1, timestamp: '2026-01-31T12:00:00' }],
      /^events\[0\]\.timestamp: give an RFC 3339 time/,
    ],
    [
      'a day that does not exist',
      [{ type: JOINED, data: 1, timestamp: '2026-02-30T12:00:00Z' }],
      /^events\[0\]\.timestamp: it is not a valid time/,
    ],
    [
      'a time after the year 9999 in UTC',
      [{ type: JOINED, data: 1, timestamp: '9999-12-31T23:59:59-01:00' }],
      /^events\[0\]\.timestamp: give a time in the years 1 to 9999/,
    ],
    [
      'a malformed trace context',
      [{ type: JOINED, data: 1, traceparent: 'abc' }],
      /^events\[0\]\.traceparent: give the form of W3C Trace Context/,
    ],
  ])('%s', async (_case, events, message) => {
    const before = await counts()
    await expect(publish(events as object[])).rejects.toMatchObject({
      code: '22023',
      message: expect.stringMatching(message),
    })
    expect(await counts()).toEqual(before)
  })

  test.each([
    ['idempotency_key', 'idempotencyKey'],
    ['eventType', 'type'],
    ['payload', 'data'],
    ['oldData', 'previous'],
    ['occurred_at', 'timestamp'],
    ['trace_parent', 'traceparent'],
  ])('the key %s: did you mean "%s"?', async (unknown, meant) => {
    const event = { type: JOINED, data: 1, [unknown]: 'x' }
    await expect(publish([event])).rejects.toMatchObject({
      code: '22023',
      message: `events[0].${unknown}: this key is unknown; did you mean "${meant}"?`,
    })
  })

  test('an unknown key that resembles no other: the message lists the keys', async () => {
    await expect(publish([{ type: JOINED, data: 1, color: 'red' }])).rejects.toMatchObject({
      code: '22023',
      message:
        'events[0].color: this key is unknown; the keys are type, data, previous, timestamp, idempotencyKey, traceparent.',
    })
  })

  test.each([
    ['event_attendee.joined', `Did you mean "${JOINED}"?`],
    ['EventAttendee.TicketSuccess', `Did you mean "${TICKET}"?`],
    ['invoice.paid', `The event types are ${JOINED}, ${TICKET}.`],
    ['x', `The event types are ${JOINED}, ${TICKET}.`],
  ])('the type %s: %s', async (type, remedy) => {
    const problem = `${JSON.stringify(type)} is not in the catalogue of event types. ${remedy}`
    await expect(
      publish([
        { type: JOINED, data: 1 },
        { type, data: 1 },
      ]),
    ).rejects.toMatchObject({
      message: `events[1].type: ${problem}`,
    })
    await expect(publishOne(`'${type}', '1'`)).rejects.toMatchObject({
      message: `type: ${problem}`,
    })
  })

  test('text that is not JSON', async () => {
    await expect(publishText('[{')).rejects.toMatchObject({
      code: '22023',
      message: expect.stringMatching(/^events: it is not JSON/),
    })
  })

  test.each(['org_00000000000000000000000000', 'wh_00000000000000000000000000', 'org_', ''])(
    'the organization %j',
    async (organization) => {
      await expect(publish([{ type: JOINED, data: 1 }], organization)).rejects.toMatchObject({
        code: '22023',
        message: expect.stringContaining('there is no organization'),
      })
    },
  )
})

test('data of exactly 256 KiB is published', async () => {
  const [event] = await publish([{ type: JOINED, data: 'x'.repeat(262_142) }])
  expect(event?.delivery_count).toBe(2)
})

test('an empty list publishes nothing', async () => {
  expect(await publish([])).toEqual([])
})

test('only the organization’s enabled webhooks that subscribe to the event type get a delivery', async () => {
  const other = await createTenant(database.prisma)
  await subscribe(database, other.organizationId, [TICKET])
  await subscribe(database, other.organizationId, [JOINED], false)
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
    expect(rows).toEqual([
      {
        data: '{"n": 1}',
        occurred_at: new Date('2026-03-01T10:00:00.5Z'),
        trace_parent: traceparent,
      },
    ])
    const [again] = await publishOne(
      `type => '${JOINED}', data => '{"n": 1}', idempotency_key => 'invoice-7'`,
    )
    expect(again).toEqual({ event_id: event?.event_id, delivery_count: 0, duplicate: true })
  })

  test.each([
    [
      'an unknown type',
      `'nope', '1'`,
      '22023',
      /^type: "nope" is not in the catalogue of event types\. The event types are/,
    ],
    ['no type', `null, '1'`, '22023', 'type: it is required.'],
    ['no data', `'${JOINED}', null`, '22023', 'data: it is required.'],
    ['data that is not JSON', `'${JOINED}', '{'`, '22023', /^data: it is not JSON/],
    ['two values', `'${JOINED}', '1, "type": "x"'`, '22023', /^data: it is not JSON/],
    [
      'an empty key',
      `'${JOINED}', '1', idempotency_key => ''`,
      '22023',
      'idempotency_key: give 1 to 255 characters.',
    ],
    [
      'a key of another event',
      `'${JOINED}', '2', idempotency_key => 'used'`,
      'PH409',
      /^idempotency_key: it was used for another event/,
    ],
    [
      'an infinite time',
      `'${JOINED}', '1', occurred_at => 'infinity'`,
      '22023',
      'occurred_at: give a time in the years 1 to 9999.',
    ],
  ])('and names the argument for %s', async (_case, args, code, message) => {
    await publishOne(`'${JOINED}', '1', idempotency_key => 'used'`)
    const before = await counts()
    await expect(publishOne(args)).rejects.toMatchObject({
      code,
      message: expect.stringMatching(message),
    })
    expect(await counts()).toEqual(before)
  })
})

test('PH409 has the indexes of the events as its detail, from both functions', async () => {
  await publishOne(`'${JOINED}', '1', idempotency_key => 'detail'`)
  const conflict = { type: JOINED, data: 2, idempotencyKey: 'detail' }
  await expect(publish([{ type: JOINED, data: 1 }, conflict])).rejects.toMatchObject({
    code: 'PH409',
    detail: '[1]',
  })
  await expect(publishOne(`'${JOINED}', '2', idempotency_key => 'detail'`)).rejects.toMatchObject({
    code: 'PH409',
    detail: '[0]',
  })
})

interface Published {
  readonly event_id: string
  readonly delivery_count: number
  readonly duplicate: boolean
}

async function publish(
  events: object,
  organization = tenant.publicOrganizationId,
): Promise<Published[]> {
  return await publishText(JSON.stringify(events), organization)
}

async function publishText(
  events: string,
  organization = tenant.publicOrganizationId,
): Promise<Published[]> {
  const { rows } = await database.pool.query<Published>(
    'select * from posthorn.publish_events($1, $2)',
    [organization, events],
  )
  return rows
}

async function publishAs(type: string, events: string): Promise<Published | undefined> {
  const { rows } = await database.pool.query<Published>(
    `select * from posthorn.publish_events($1, $2::${type})`,
    [tenant.publicOrganizationId, events],
  )
  return rows[0]
}

async function publishOneAs(type: string, data: string): Promise<Published | undefined> {
  const { rows } = await database.pool.query<Published>(
    `select * from posthorn.publish_event($1, $2, $3::${type})`,
    [tenant.publicOrganizationId, JOINED, data],
  )
  return rows[0]
}

/** The arguments after the organization, as SQL. */
async function publishOne(args: string): Promise<Published[]> {
  const { rows } = await database.pool.query<Published>(
    `select * from posthorn.publish_event('${tenant.publicOrganizationId}', ${args})`,
  )
  return rows
}

async function dataOf(eventId: string | undefined): Promise<string> {
  const { rows } = await database.pool.query(
    `select data from posthorn.events where id = posthorn.parse_type_id('evt', $1)`,
    [eventId],
  )
  return rows[0].data
}

async function counts() {
  const { rows } = await database.pool.query<{ events: number; deliveries: number; jobs: number }>(
    `select (select count(*)::int from posthorn.events) as events,
       (select count(*)::int from posthorn.deliveries) as deliveries,
       (select count(*)::int from graphile_worker.jobs) as jobs`,
  )
  return rows[0] as { events: number; deliveries: number; jobs: number }
}
