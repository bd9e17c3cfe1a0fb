import { describe, expect, test } from 'vitest'
import { SYSTEM } from '../../src/auth/access/actor.ts'
import { parseId } from '../../src/db/ids.ts'
import { createEventType, updateEventType } from '../../src/event-types/edit-event-type.ts'
import { createCatalogue } from '../../src/event-types/event-type.ts'
import { createPublishEvents } from '../../src/events/publish-events.ts'
import { sharedDatabase } from '../support/database.ts'
import { createTenant, JOINED } from '../support/factories.ts'

const database = await sharedDatabase()
const tenant = await createTenant(database.prisma)
const publishEvents = createPublishEvents(database.pool, createCatalogue(database.pool))
let names = 0

/** An event type with these search keys. */
async function addType(searchKeys: string[]): Promise<string> {
  const name = `test.keyed_${++names}`
  await createEventType(database.prisma, { name, description: 'A test', searchKeys }, SYSTEM)
  return name
}

/** Publishes in SQL, where the data is kept to the letter, and returns the indexed values by path. */
async function valuesOf(type: string, data: string): Promise<Record<string, string>> {
  const { rows } = await database.pool.query(
    'select event_id from posthorn.publish_events($1, $2::text)',
    [tenant.publicOrganizationId, `[{"type": "${type}", "data": ${data}}]`],
  )
  return await indexed(rows[0].event_id)
}

async function indexed(eventId: string): Promise<Record<string, string>> {
  const { rows } = await database.pool.query(
    `select path, value from posthorn.event_keys where event_id = $1 and organization_id = $2`,
    [parseId('event', eventId), tenant.organizationId],
  )
  return Object.fromEntries(rows.map(({ path, value }) => [path, value]))
}

describe('the value at a search key', async () => {
  const LONG = 'x'.repeat(200)
  const type = await addType(['$.k'])

  test.each([
    ['a string', '"A-87012"', 'A-87012'],
    ['an empty string', '""', ''],
    ['an integer', '87012', '87012'],
    ['an integer that no double keeps', '12345678901234567890', '12345678901234567890'],
    ['a decimal as it is written', '1.50', '1.50'],
    ['a boolean', 'false', 'false'],
    ['an escaped character', '"\\u00e9\\n"', 'é\n'],
    ['200 characters', `"${LONG}"`, LONG],
  ])('is indexed if it is %s', async (_what, json, value) => {
    expect(await valuesOf(type, `{"k":  ${json}}`)).toEqual({ '$.k': value })
  })

  test.each([
    ['null', '{"k": null}'],
    ['an object', '{"k": {"a": 1}}'],
    ['an array', '{"k": ["a"]}'],
    ['longer than 200 characters', `{"k": "${LONG}x"}`],
    ['missing', '{"other": 1}'],
    ['missing, because the data is no object', '[1]'],
    ['beside a NUL, which Postgres cannot read', '{"k": "a", "other": "\\u0000"}'],
    ['beside a lone surrogate', '{"k": "a", "other": "\\ud800"}'],
  ])('is not indexed if it is %s, and the event is stored', async (_what, data) => {
    expect(await valuesOf(type, data)).toEqual({})
  })

  test('is the last one of a name that occurs twice, as receivers read it', async () => {
    expect(await valuesOf(type, '{"k": 1, "k": 2}')).toEqual({ '$.k': '2' })
  })

  test('is not indexed in data of so deep nesting that Postgres cannot read it', async () => {
    const { rows } = await database.pool.query(
      `select posthorn.search_values(repeat('[', 100000) || repeat(']', 100000),
         array[row('$[0]', '{0}')]::posthorn.search_key[]) as found`,
    )
    expect(rows).toEqual([{ found: [] }])
  })
})

test('a path leads through objects, arrays and odd names', async () => {
  const type = await addType(['$.order.id', '$.items[1].sku', `$['order-id']`, `$['a.b']`])
  const data = `{"order": {"id": 1}, "items": [{"sku": "x"}, {"sku": "y"}], "order-id": 2, "a.b": 3}`
  expect(await valuesOf(type, data)).toEqual({
    '$.order.id': '1',
    '$.items[1].sku': 'y',
    "$['order-id']": '2',
    "$['a.b']": '3',
  })
})

test('GraphQL and the command line index as SQL does, each event by the keys of its type', async () => {
  const [keyed, other] = [await addType(['$.a', '$.b']), await addType(['$.b'])]
  const events = [
    { type: keyed, data: { a: 1, b: 'x' } },
    { type: JOINED, data: { a: 1, b: 'x' } },
    { type: other, data: { a: 1, b: 'y' } },
  ]
  const published = await publishEvents(tenant.organizationId, events)
  expect(await Promise.all(published.map(({ id }) => indexed(id)))).toEqual([
    { '$.a': '1', '$.b': 'x' },
    {},
    { '$.b': 'y' },
  ])
})

test('a change of the search keys applies to events that are published afterwards', async () => {
  const type = await addType(['$.a'])
  const publish = async () => {
    const [event] = await publishEvents(tenant.organizationId, [{ type, data: { a: 1, b: 2 } }])
    return event?.id as string
  }
  const before = await publish()
  await updateEventType(database.prisma, type, { searchKeys: ['$.b'] }, SYSTEM)
  expect(await indexed(await publish())).toEqual({ '$.b': '2' })
  expect(await indexed(before)).toEqual({ '$.a': '1' })
  await updateEventType(database.prisma, type, { searchKeys: [] }, SYSTEM)
  expect(await indexed(await publish())).toEqual({})
})
