import { describe, expect, test } from 'vitest'
import { sharedDatabase } from '../support/database.ts'
import { createTenant, JOINED } from '../support/factories.ts'

const database = await sharedDatabase()
const organization = (await createTenant(database.prisma)).publicOrganizationId

const BEFORE =
  '{"b": 1.0,  "a":"\\u0000 \\\\u0000 \\ud800 \\"\\n", "b":2, "big":12345678901234567890}'

describe('publish_events', () => {
  const publishMany = (...events: object[]) =>
    publish('publish_events($1, $2)', [JSON.stringify(events)])

  test.each(['text', 'json'])('stores previous unchanged as %s', async (type) => {
    const events = `[{"type":"${JOINED}","data":{"n": 2}, "previous":${BEFORE}},{"type":"${JOINED}","data":3}]`
    const stored = await publish(`publish_events($1, $2::${type})`, [events])
    expect(stored).toEqual([
      { data: '{"n": 2}', previous: BEFORE },
      { data: '3', previous: null },
    ])
  })

  test('refuses data and previous of more than 256 KiB together, and publishes nothing', async () => {
    const half = 'x'.repeat(131_070)
    const fits = { type: JOINED, data: half, previous: half }
    const [stored] = await publishMany(fits)
    expect(stored?.previous).toHaveLength(131_072)
    const before = await database.prisma.event.count()
    await expect(publishMany(fits, { ...fits, previous: `${half}x` })).rejects.toMatchObject({
      code: '22023',
      message: 'events[1].previous: it is larger than 256 KiB (262,144 bytes) together with data.',
    })
    expect(await database.prisma.event.count()).toBe(before)
  })

  test('an idempotency key counts for the same previous data only', async () => {
    const event = { type: JOINED, data: 1, idempotencyKey: 'previous' }
    await publishMany({ ...event, previous: 1 })
    const { rows } = await database.pool.query(
      'select duplicate from posthorn.publish_events($1, $2)',
      [organization, JSON.stringify([{ ...event, previous: 1 }])],
    )
    expect(rows).toEqual([{ duplicate: true }])
    for (const other of [event, { ...event, previous: 2 }]) {
      await expect(publishMany(other)).rejects.toMatchObject({ code: 'PH409' })
    }
  })
})

describe('publish_event', () => {
  test.each([
    ['untyped values', '$3, previous => $4'],
    ['text and json', '$3::text, previous => $4::json'],
    ['json', '$3::json, previous => $4::json'],
  ])('stores previous unchanged, of %s', async (_name, args) => {
    const stored = await publish(`publish_event($1, $2, ${args})`, [JOINED, '{"n": 2}', BEFORE])
    expect(stored).toEqual([{ data: '{"n": 2}', previous: BEFORE }])
  })

  test.each([
    ['SQL null', 'null'],
    ['JSON null', `'null'`],
  ])('takes %s for no previous data', async (_name, previous) => {
    const stored = await publish(`publish_event($1, $2, '1', previous => ${previous})`, [JOINED])
    expect(stored).toEqual([{ data: '1', previous: null }])
  })

  test.each([
    ['untyped', `$3, $4`],
    ['untyped with a time', `$3, $4, '2026-03-01T00:00:00Z'`],
    ['untyped to the end', `$3, $4, '2026-03-01T00:00:00Z', null`],
    ['typed', `$3::json, $4::text, now()`],
    ['jsonb', `$3::jsonb, $4::varchar`],
  ])('without the name, the fourth argument is the idempotency key: %s', async (name, args) => {
    const call = `publish_event($1, $2, ${args})`
    expect(await publish(call, [JOINED, '1', `key of ${name}`])).toEqual([
      { data: '1', previous: null },
    ])
    const { rows } = await database.pool.query(
      `select duplicate from posthorn.publish_event($1, $2, '1', idempotency_key => $3)`,
      [organization, JOINED, `key of ${name}`],
    )
    expect(rows).toEqual([{ duplicate: true }])
  })
})

/** Calls a function of the schema with the organization and the values, and reads what was stored. */
async function publish(call: string, values: readonly unknown[]) {
  const { rows: published } = await database.pool.query<{ event_id: string }>(
    `select event_id from posthorn.${call}`,
    [organization, ...values],
  )
  const { rows } = await database.pool.query<{ data: string; previous: string | null }>(
    `select e.data, e.previous from unnest($1::text[]) with ordinality as given (id, i)
     join posthorn.events as e on e.id = posthorn.parse_type_id('evt', given.id) order by i`,
    [published.map(({ event_id: id }) => id)],
  )
  return rows
}
