import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Sql } from '../../src/db/client.ts'
import { createCatalogue } from '../../src/event-types/event-type.ts'
import { createPublishEvents, type PublishEvents } from '../../src/events/publish-events.ts'
import { DomainError } from '../../src/lib/errors.ts'
import { useTestDatabase } from '../support/database.ts'
import { createTenant } from '../support/factories.ts'

/* An outdated cache of the catalogue never decides whether an event is accepted. */
const database = await useTestDatabase()
const { organizationId } = await createTenant(database.prisma)
let publishEvents: PublishEvents

const TYPE = 'order.placed'
const ofType = (schema: object) => JSON.stringify({ type: 'object', ...schema })
const WITH_TOTAL = ofType({ required: ['total'] })
const ANY = ofType({})

beforeEach(async () => {
  await query(
    `insert into posthorn.event_types (name, description, schema) values ($1, 'An order was placed.', $2)`,
    [TYPE, WITH_TOTAL],
  )
  publishEvents = createPublishEvents(database.pool, createCatalogue(database.pool))
  await publish({ total: 1 })
})
afterEach(async () => {
  await query('delete from posthorn.events')
  await query('delete from posthorn.event_types where name = $1', [TYPE])
})

const query = (text: string, values: unknown[] = []) => database.pool.query(text, values)
const publish = (data: unknown, using = publishEvents) =>
  using(organizationId, [{ type: TYPE, data }])
const setSchema = (schema: string) =>
  query('update posthorn.event_types set schema = $2, revision = revision + 1 where name = $1', [
    TYPE,
    schema,
  ])

async function stored(): Promise<number> {
  const { rows } = await query('select count(*)::int as n from posthorn.events')
  return rows[0].n
}

test('a stricter schema applies at once', async () => {
  await setSchema(ofType({ required: ['total', 'currency'] }))
  await expect(publish({ total: 1 })).rejects.toThrow(/currency/)
  await publish({ total: 1, currency: 'EUR' })
  expect(await stored()).toBe(2)
})

test('if the catalogue keeps changing, the call fails as unavailable, and nothing is stored', async () => {
  const changing = {
    async query(statement: { name?: string }, ...rest: unknown[]) {
      if (statement.name === 'insert_events') await setSchema(WITH_TOTAL)
      return await (database.pool.query as (...input: unknown[]) => unknown)(statement, ...rest)
    },
  } as unknown as Sql
  const publishing = createPublishEvents(changing, createCatalogue(database.pool))
  const error = await publish({ total: 1 }, publishing).catch((thrown) => thrown)
  expect(error).toBeInstanceOf(DomainError)
  expect(error.code).toBe('unavailable')
  expect(await stored()).toBe(1)
})

test('a stored schema that this version cannot use rejects the events of its type alone', async () => {
  await query(`insert into posthorn.event_types (name, description) values ('order.refunded', '')
    on conflict do nothing`)
  await setSchema(ofType({ properties: { id: { pattern: '^(?!x)' } } }))
  const publishing = createPublishEvents(database.pool, createCatalogue(database.pool))
  const other = publishing(organizationId, [{ type: 'order.refunded', data: {} }])
  await expect(publish({ id: 'y' }, publishing)).rejects.toThrow(
    /the schema cannot be used: the pattern "\^\(\?!x\)"/,
  )
  await other
  await setSchema(ANY)
  await publish({ id: 'y' }, publishing)
  expect(await stored()).toBe(3)
})
