import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Database } from '../../src/db/client.ts'
import { createTestDatabase } from '../support/database.ts'
import { createTenant, JOINED, subscribe, TICKET } from '../support/factories.ts'

let database: Database
let tenant: Awaited<ReturnType<typeof createTenant>>

beforeAll(async () => {
  database = await createTestDatabase()
  tenant = await createTenant(database.prisma)
  await subscribe(database, tenant.organizationId, [JOINED])
  await subscribe(database, tenant.organizationId, [JOINED, TICKET])
})
afterAll(async () => await database[Symbol.asyncDispose]())

test('one call stores the events, owes each match a delivery and adds a job for each', async () => {
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
  const jobs = await database.pool.query(
    `select jobs.key, payload, task_identifier from graphile_worker.jobs join graphile_worker._private_jobs using (id)
     where jobs.key = any ($1)`,
    [rows.map((row) => row.id)],
  )
  expect(jobs.rows).toHaveLength(3)
  for (const job of jobs.rows) {
    expect(job).toEqual({
      key: job.key,
      payload: { deliveryId: job.key },
      task_identifier: 'deliver',
    })
  }
})

test('the body is made once: the data is kept to the letter', async () => {
  const data = '{"b": 1.0,  "a":"\\u0000 \\ud800", "b":2, "big":12345678901234567890}'
  const [event] = await publishText(
    `[{"type":"${JOINED}","data":{"n":1e2}, "timestamp":"2026-03-01T12:00:00+02:00"}]`,
  )
  expect(await bodyOf(event?.event_id)).toBe(
    `{"id":"${event?.event_id}","type":"${JOINED}","timestamp":"2026-03-01T10:00:00.000Z","data":{"n":1e2}}`,
  )
  const { rows } = await database.pool.query(
    `select posthorn.type_id('evt', event_id) as id from posthorn.insert_events(
       array[$1::uuid], array[$2], array[$3], array[now()], array[null], array[null])`,
    [tenant.organizationId, JOINED, data],
  )
  expect(await bodyOf(rows[0].id)).toContain(`"data":${data}}`)
})

describe('inside the transaction of a host application', () => {
  test('what is rolled back leaves nothing', async () => {
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

  test('what commits is there', async () => {
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

  test('a role that may only execute the function can publish, and read nothing', async () => {
    await database.pool.query(`
      drop role if exists posthorn_test_host;
      create role posthorn_test_host login password 'host';
      grant usage on schema posthorn to posthorn_test_host;
      grant execute on function posthorn.publish_events to posthorn_test_host`)
    const url = new URL(database.url)
    url.username = 'posthorn_test_host'
    url.password = 'host'
    const host = new pg.Client({ connectionString: url.href })
    await host.connect()
    try {
      const { rows } = await host.query('select * from posthorn.publish_events($1, $2)', [
        tenant.publicOrganizationId,
        JSON.stringify([{ type: JOINED, data: 1 }]),
      ])
      expect(rows).toHaveLength(1)
      await expect(host.query('select * from posthorn.api_keys')).rejects.toThrow(
        /permission denied/,
      )
    } finally {
      await host.end()
      await database.pool.query('drop owned by posthorn_test_host; drop role posthorn_test_host')
    }
  })
})

describe('idempotency keys', () => {
  test('a repeated key answers with the first event, and owes nothing anew', async () => {
    const [first] = await publish([{ type: JOINED, data: { n: 1 }, idempotencyKey: 'twice' }])
    const before = await counts()
    const [second] = await publish([{ type: JOINED, data: { n: 1 }, idempotencyKey: 'twice' }])
    expect(second).toEqual({ event_id: first?.event_id, delivery_count: 0, duplicate: true })
    expect(await counts()).toEqual(before)
  })

  test('twice in one call is once', async () => {
    const before = await counts()
    const events = await publish([
      { type: JOINED, data: 1, idempotencyKey: 'same-call' },
      { type: JOINED, data: 1, idempotencyKey: 'same-call' },
    ])
    expect(events[0]?.event_id).toBe(events[1]?.event_id)
    expect((await counts()).events).toBe(before.events + 1)
  })

  test('a key that was used for another event is refused, and nothing is published', async () => {
    await publish([{ type: JOINED, data: { n: 1 }, idempotencyKey: 'other' }])
    const before = await counts()
    await expect(
      publish([
        { type: JOINED, data: { n: 3 }, idempotencyKey: 'fresh' },
        { type: JOINED, data: { n: 2 }, idempotencyKey: 'other' },
      ]),
    ).rejects.toMatchObject({ code: 'PH409', message: /^events\[1\]\.idempotencyKey: / })
    expect(await counts()).toEqual(before)
  })

  test('two calls at once with one key publish one event', async () => {
    const before = await counts()
    const calls = await Promise.all(
      Array.from({ length: 8 }, () => publish([{ type: JOINED, data: 1, idempotencyKey: 'race' }])),
    )
    expect(new Set(calls.map(([event]) => event?.event_id)).size).toBe(1)
    expect((await counts()).events).toBe(before.events + 1)
  })

  test('after 24 hours a key is new again', async () => {
    const [first] = await publish([{ type: JOINED, data: 1, idempotencyKey: 'old' }])
    await database.pool.query(
      `update posthorn.idempotency_keys set created_at = now() - interval '25 hours' where key = 'old'`,
    )
    const [second] = await publish([{ type: JOINED, data: 2, idempotencyKey: 'old' }])
    expect(second?.event_id).not.toBe(first?.event_id)
    expect(second?.duplicate).toBe(false)
  })

  test('belong to their organization', async () => {
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
    ['what is no object', [7], /^events\[0\]: give an object/],
    [
      'everything wrong at once',
      [{ type: 'nope', data: 1 }, { type: JOINED }],
      /events\[0\]\.type.*events\[1\]\.data/,
    ],
    ['no array', { type: JOINED, data: 1 }, /^events: give a JSON array/],
  ])('%s', async (_case, events, message) => {
    const before = await counts()
    await expect(publish(events as object[])).rejects.toMatchObject({ code: '22023', message })
    expect(await counts()).toEqual(before)
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

test('only enabled webhooks of the organization that subscribe to the type are owed a delivery', async () => {
  const other = await createTenant(database.prisma)
  await subscribe(database, other.organizationId, [TICKET])
  await subscribe(database, other.organizationId, [JOINED], false)
  const [joined] = await publish([{ type: JOINED, data: 1 }], other.publicOrganizationId)
  const [ticket] = await publish([{ type: TICKET, data: 1 }], other.publicOrganizationId)
  expect([joined?.delivery_count, ticket?.delivery_count]).toEqual([0, 1])
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

async function bodyOf(eventId: string | undefined): Promise<string> {
  const { rows } = await database.pool.query(
    `select body from posthorn.events where id = posthorn.parse_type_id('evt', $1)`,
    [eventId],
  )
  return rows[0].body
}

async function counts() {
  const { rows } = await database.pool.query<{ events: number; deliveries: number; jobs: number }>(
    `select (select count(*)::int from posthorn.events) as events,
       (select count(*)::int from posthorn.deliveries) as deliveries,
       (select count(*)::int from graphile_worker.jobs) as jobs`,
  )
  return rows[0] as { events: number; deliveries: number; jobs: number }
}
