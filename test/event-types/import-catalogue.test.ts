import { beforeEach, describe, expect, test } from 'vitest'
import { SYSTEM } from '../../src/auth/access/actor.ts'
import { readCatalogue } from '../../src/event-types/catalogue/catalogue-type.ts'
import {
  type CatalogueImportOptions,
  importCatalogue,
} from '../../src/event-types/catalogue/import-catalogue.ts'
import { parseCatalogueFile, renameTypes } from '../../src/event-types/catalogue/parse-catalogue.ts'
import { updateEventType } from '../../src/event-types/edit-event-type.ts'
import { createCatalogue } from '../../src/event-types/event-type.ts'
import { createPublishEvents } from '../../src/events/publish-events.ts'
import { useTestDatabase } from '../support/database.ts'
import { createTenant } from '../support/factories.ts'

const database = await useTestDatabase()
const { organizationId } = await createTenant(database.prisma)

beforeEach(async () => {
  await database.pool.query(`
    delete from posthorn.events; delete from posthorn.webhooks; delete from posthorn.event_types;
    delete from posthorn.filtered_events`)
})

/** A schema with digits that JavaScript would not print. */
const SCHEMA =
  '{"type":"object","properties":{"total":{"type":"number","multipleOf":0.10}},"required":["total"]}'
const PAID = {
  name: 'order.paid',
  description: 'An order was paid.',
  group: 'Orders',
  searchKeys: ['$.total'],
  schema: SCHEMA,
  example: '{"total":1.50}',
}
const SHIPPED = { name: 'order.shipped', description: 'An order was shipped.' }

/** The text of a file with these event types. */
function fileOf(...types: (Partial<typeof PAID> & { archived?: boolean })[]): string {
  const items = types.map(({ schema = 'null', example = 'null', ...fields }) => {
    const rest = JSON.stringify(fields).slice(1, -1)
    return `{${rest}, "schema": ${schema}, "example": ${example}}`
  })
  return `{"eventTypes": [${items.join(', ')}]}`
}

async function load(text: string, options: CatalogueImportOptions = {}) {
  const given = parseCatalogueFile(Buffer.from(text), 'file.json')
  return await importCatalogue(database.prisma, given, options, SYSTEM)
}

const read = () => readCatalogue(database.prisma)

async function publish(data: unknown, count = 1) {
  const publishEvents = createPublishEvents(database.pool, createCatalogue(database.pool))
  await publishEvents(organizationId, Array(count).fill({ type: PAID.name, data }))
}

describe('an import', () => {
  test('adds event types with all digits, and again changes nothing', async () => {
    const text = fileOf(PAID, SHIPPED)
    expect(await load(text)).toMatchObject({
      changes: [
        { name: 'order.paid', change: 'added', fields: [], findings: [] },
        { name: 'order.shipped', change: 'added' },
      ],
      unchanged: 0,
      written: true,
    })
    expect(await read()).toMatchObject([
      { ...PAID, archived: false },
      { ...SHIPPED, group: null, searchKeys: [], archived: false, schema: null, example: null },
    ])
    const nothing = { changes: [], unchanged: 2, refused: [], written: false }
    expect(await load(text)).toMatchObject(nothing)
  })

  test('and an update change nothing for another spelling, and something for another digit', async () => {
    const exact = '{"type":"number","maximum":9007199254740993}'
    const same = '{ "maximum":9007199254740993.0,"type":"number"}'
    const other = exact.replace('993', '992')
    const type = { ...PAID, searchKeys: ['$.b', '$.a'], example: '1', schema: exact }
    const again = { searchKeys: ['$.a', '$.b', '$.a'], schema: same }
    const revision = async () =>
      (await database.prisma.eventType.findUniqueOrThrow({ where: { name: PAID.name } })).revision
    await load(fileOf(type))
    for (const spelling of [type, { ...type, ...again, example: '1.0' }]) {
      expect(await load(fileOf(spelling))).toMatchObject({ changes: [], unchanged: 1 })
      const { searchKeys, schema } = spelling
      const input = { searchKeys, schemaText: schema }
      await updateEventType(database.prisma, PAID.name, input, SYSTEM)
    }
    expect(await revision()).toBe(1n)
    expect(await read()).toEqual([{ ...type, archived: false, retentionDays: null }])
    const input = { schemaText: other }
    await updateEventType(database.prisma, PAID.name, input, SYSTEM)
    expect(await revision()).toBe(2n)
    expect((await load(fileOf(type))).changes).toMatchObject([{ fields: ['schema'] }])
  })

  test('changes only the fields that differ, with an audit entry and a revision each', async () => {
    await load(fileOf(PAID))
    await updateEventType(database.prisma, PAID.name, { retentionDays: 1 }, SYSTEM)
    const result = await load(fileOf({ ...PAID, group: 'Payments', archived: true }))
    expect(result.changes).toMatchObject([{ change: 'changed', fields: ['group', 'archived'] }])
    const { rows } = await database.pool.query(
      `select revision::int, retention_days as days, version, archived_at is not null as archived, schema::text
       from posthorn.event_types`,
    )
    expect(rows).toEqual([{ revision: 4, days: 1, version: 1, archived: true, schema: SCHEMA }])
    const entries = await database.pool.query(
      `select action, before, after from posthorn.audit_log where subject_id = $1 order by id desc limit 2`,
      [PAID.name],
    )
    expect(entries.rows).toEqual([
      { action: 'event_type.archived', before: null, after: null },
      { action: 'event_type.updated', before: { group: 'Orders' }, after: { group: 'Payments' } },
    ])
    expect((await load(fileOf(PAID), { force: true })).changes).toMatchObject([
      { change: 'changed', fields: ['group', 'archived'] },
    ])
  })

  test('archives what the file does not have, on request only', async () => {
    await load(fileOf(PAID, SHIPPED))
    expect(await load(fileOf(SHIPPED))).toMatchObject({ changes: [], unchanged: 1 })
    expect(await load(fileOf(SHIPPED), { archiveMissing: true })).toMatchObject({
      changes: [{ name: PAID.name, change: 'archived', fields: ['archived'] }],
      written: true,
    })
    expect(await load(fileOf(PAID))).toMatchObject({ changes: [{ change: 'unarchived' }] })
  })

  test('leaves operational event types alone, and rejects them', async () => {
    await database.pool.query(
      `insert into posthorn.event_types (name, description) values ('posthorn.webhook.on_hold', 'x')`,
    )
    expect(await load(fileOf(SHIPPED), { archiveMissing: true })).toMatchObject({
      changes: [{ name: SHIPPED.name }],
    })
    expect(await load(fileOf({ name: 'posthorn.x', description: 'x' }))).toMatchObject({
      refused: [{ problem: expect.stringMatching(/only Posthorn itself defines/) }],
      written: false,
    })
  })

  test.each<[string, string, RegExp]>([
    ['no description', fileOf({ name: 'a' }), /eventTypes\[0\] \(a\): description is required/],
    ['a wrong name', fileOf({ ...SHIPPED, name: 'a b' }), /name must be words of letters/],
    ['__proto__', fileOf({ ...SHIPPED, name: '__proto__' }), /name must not be a member that/],
    [
      'an unknown field',
      '{"eventTypes":[{"name":"a","description":"A.","scheme":{}}]}',
      /scheme is unknown. Did you mean "schema"/,
    ],
    ['a name twice', fileOf(SHIPPED, SHIPPED), /stands in file.json: eventTypes\[0\]/],
    ['a wrong schema', fileOf({ ...PAID, schema: '{"type":"x"}' }), /paid: schema cannot be used/],
    ['a wrong example', fileOf({ ...PAID, example: '{}' }), /paid: example does not match/],
  ])('with %s leaves that out and says so; strict, it is an error', async (_case, text, error) => {
    await expect(load(text, { strict: true })).rejects.toThrow(error)
    expect(await read()).toEqual([])
    const { refused, warnings } = await load(text)
    expect([...refused, ...warnings]).toEqual([
      { name: expect.any(String), problem: expect.stringMatching(error) },
    ])
  })

  test('imports the others, keeps what it refuses, and leaves out only a wrong example', async () => {
    await load(fileOf(PAID))
    const wrong = { ...PAID, schema: '{"type":"x"}' }
    const file = fileOf(wrong, { ...SHIPPED, schema: SCHEMA, example: '1' })
    expect(await load(file, { archiveMissing: true })).toMatchObject({
      changes: [{ name: SHIPPED.name, change: 'added' }],
      refused: [{ name: PAID.name }],
      warnings: [{ name: SHIPPED.name }],
      written: true,
    })
    expect(await read()).toMatchObject([
      { ...PAID, archived: false },
      { name: SHIPPED.name, schema: SCHEMA, example: null },
    ])
    const again = await load(fileOf({ ...SHIPPED, schema: SCHEMA, example: '1' }))
    expect(again).toMatchObject({ changes: [], unchanged: 1, warnings: [{ name: SHIPPED.name }] })
  })

  test('gives event types other names', async () => {
    const text = fileOf({ ...SHIPPED, name: '/SHIPPED' })
    const given = parseCatalogueFile(Buffer.from(text), 'f.json')
    const renamed = renameTypes(given, ['/SHIPPED=order.shipped'])
    await importCatalogue(database.prisma, renamed, {}, SYSTEM)
    expect(await read()).toMatchObject([{ name: 'order.shipped' }])
    expect(() => renameTypes(given, ['/SHIPED=a'])).toThrow(
      /"\/SHIPED".*Did you mean "\/SHIPPED"\?/,
    )
    expect(() => renameTypes(given, ['a'])).toThrow(/"a" has no "="/)
  })

  test.each<[string, string, RegExp]>([
    ['another file', '{}', /is neither a file that/],
    ['no JSON', 'eventTypes: []', /is not JSON.*YAML/],
  ])('with %s is an error, and nothing is written', async (_case, text, error) => {
    await expect(async () => await load(text)).rejects.toThrow(error)
    expect(await read()).toEqual([])
  })

  test('fails if somebody changes the catalogue meanwhile', async () => {
    await load(fileOf(SHIPPED))
    const { prisma } = database
    const changing = {
      $queryRawUnsafe: prisma.$queryRawUnsafe.bind(prisma),
      async $transaction(run: Parameters<typeof prisma.$transaction>[0]) {
        await updateEventType(prisma, SHIPPED.name, { description: 'Else.' }, SYSTEM)
        return await prisma.$transaction(run)
      },
    } as unknown as typeof prisma
    const given = parseCatalogueFile(Buffer.from(fileOf(PAID, SHIPPED)), 'file.json')
    await expect(importCatalogue(changing, given, {}, SYSTEM)).rejects.toThrow(/import again/)
    expect(await read()).toMatchObject([{ name: SHIPPED.name, description: 'Else.' }])
  })
})

test('each schema is kept, by imports and by the API; an equal one is no version', async () => {
  await load(fileOf({ ...PAID, schema: 'null' }))
  await load(fileOf(PAID))
  await load(fileOf({ ...PAID, description: 'Paid.' }))
  const { prisma } = database
  await updateEventType(prisma, PAID.name, { schema: JSON.parse(SCHEMA) }, SYSTEM)
  const text = '{ "type": "object", "maxProperties": 1.0 }'
  await updateEventType(prisma, PAID.name, { schemaText: text }, SYSTEM)
  await updateEventType(prisma, PAID.name, { schema: null }, SYSTEM)
  const { rows } = await database.pool.query(
    'select version, schema::text from posthorn.event_type_versions where event_type = $1 order by version',
    [PAID.name],
  )
  expect(rows).toEqual([
    { version: 1, schema: null },
    { version: 2, schema: SCHEMA },
    { version: 3, schema: text },
    { version: 4, schema: null },
  ])
  expect(await prisma.eventType.findFirst()).toMatchObject({ version: 4 })
})

test('only the newest 1,000 events count for the findings of an import', async () => {
  await load(fileOf(PAID))
  await publish({ total: 5 })
  for (const _ of [1, 2]) await publish({ total: 1 }, 500)
  const total = { type: 'number', maximum: 2 }
  const schema = { type: 'object', properties: { total, 1: {}, 2: {} }, required: ['total'] }
  const type = { ...PAID, example: 'null', schema: JSON.stringify(schema) }
  const { changes } = await load(fileOf(type), { dryRun: true })
  expect(changes).toMatchObject([{ name: PAID.name, findings: [] }])
})
