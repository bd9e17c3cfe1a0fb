import { describe, expect, test } from 'vitest'
import { JOINED, TICKET } from '../support/factories.ts'
import { useApi } from './support/api.ts'

const api = await useApi()
const operator = await api.tenant(['admin'])
let names = 0

const run = (operation: string, variables?: object) =>
  operator.run('event-types', operation, variables)
const publish = (type: string, data: unknown) =>
  operator.run('events', 'PublishEvent', { input: { type, data } })
const update = (name: string, input: object) =>
  run('UpdateEventType', { id: `type_${name}`, input })

const properties = { seats: { type: 'integer' } }
const SCHEMA = { type: 'object', properties, required: ['seats'] }
const PUBLISHED = { __typename: 'PublishEventSuccess' }
const MISMATCH = {
  __typename: 'ValidationError',
  issues: [{ path: ['data'], code: 'schema_mismatch' }],
}

/** An event type that no other test uses. */
async function addType(fields: object = {}): Promise<string> {
  const name = `event_types.type_${++names}`
  const input = { name, description: 'A test', schema: SCHEMA, example: { seats: 2 }, ...fields }
  expect((await run('CreateEventType', { input })).__typename).toBe('CreateEventTypeSuccess')
  return name
}

/** The problems of an event type that is rejected. */
async function issuesOf(given: object) {
  const input = { name: 'test.rejected', description: 'A test', ...given }
  const { __typename, issues } = await run('CreateEventType', { input })
  expect(__typename).toBe('ValidationError')
  return issues.map(({ path, code }: Record<string, string[]>) => [path?.join('.'), code])
}

describe('createEventType', () => {
  test('the event type can be published immediately, and its schema is enforced', async () => {
    const name = await addType()
    expect(await publish(name, { seats: 'two' })).toMatchObject(MISMATCH)
    expect(await publish(name, { seats: 2 })).toMatchObject(PUBLISHED)
  })

  test('an existing name is a conflict, and all problems of an input are listed', async () => {
    const existing = { name: JOINED, description: 'A' }
    const conflict = { __typename: 'ConflictError', code: 'conflict' }
    expect(await run('CreateEventType', { input: existing })).toMatchObject(conflict)
    const input = { name: 'not a name', description: ' ', schema: { type: 'objekt' } }
    expect(await issuesOf(input)).toEqual([
      ['name', 'invalid_format'],
      ['description', 'too_small'],
      ['schema', 'invalid_schema'],
    ])
  })

  test.each<[string, object, string, string]>([
    ['no path', { searchKeys: ['$.order', 'order.id'] }, 'searchKeys.1', 'invalid_path'],
    ['all elements', { searchKeys: ['$.items[*]'] }, 'searchKeys.0', 'invalid_path'],
    ['nine', { searchKeys: [...'abcdefghi'].map((key) => `$.${key}`) }, 'searchKeys', 'too_big'],
    ['another example', { example: { seats: 'two' } }, 'example', 'schema_mismatch'],
    ['large', { example: { seats: 1, x: 'x'.repeat(270_000) } }, 'example', 'too_large'],
    ['NUL', { example: { seats: 1, x: 'a\0' } }, 'example', 'invalid_text'],
  ])('%s: the input is rejected', async (_what, input, path, code) => {
    expect(await issuesOf({ schema: SCHEMA, ...input })).toEqual([[path, code]])
  })

  test('data that a schema would check for hours is published without an answer', async () => {
    const twice = { allOf: Array(2).fill({ items: { $ref: '#/$defs/list' } }) }
    const schema = { $ref: '#/$defs/list', $defs: { list: twice } }
    const name = await addType({ schema, example: null })
    const nested = (depth: number) => JSON.parse('['.repeat(depth) + ']'.repeat(depth))
    expect(await publish(name, nested(100))).toMatchObject(PUBLISHED)
    expect(await publish(name, nested(5))).toMatchObject(PUBLISHED)
  })
})

describe('updateEventType', () => {
  test('changes the given fields; null removes the schema and the example', async () => {
    const name = await addType()
    expect((await update(name, { description: 'Later' })).eventType).toEqual({
      ...{ name, description: 'Later', schema: SCHEMA, example: { seats: 2 }, searchKeys: [] },
      ...{ group: null, version: 1, archivedAt: null, revision: 2 },
    })
    const none = { schema: null, example: null }
    expect((await update(name, none)).eventType).toMatchObject(none)
    expect(await publish(name, 'anything')).toMatchObject(PUBLISHED)
  })

  test('another schema is another version, with its text to the letter', async () => {
    const name = await addType({ group: 'Seats' })
    const schemaText = '{ "type": "object", "maxProperties": 1e1, "1": {} }'
    const { eventType } = await update(name, { schemaText, group: null })
    expect(eventType).toMatchObject({ version: 2, group: null })
    // Again, the same changes nothing.
    await update(name, { schemaText, description: 'A test' })
    const createdAt = expect.any(String)
    expect(await run('EventTypeVersions', { id: `type_${name}` })).toEqual({
      ...{ name, version: 2 },
      versions: [
        { version: 2, schema: JSON.parse(schemaText), createdAt },
        { version: 1, schema: SCHEMA, createdAt },
      ],
    })
    const { rows } = await api.database.pool.query(
      'select schema::text from posthorn.event_types where name = $1',
      [name],
    )
    expect(rows).toEqual([{ schema: schemaText }])
  })

  test.each([
    [{ schemaText: '{' }, 'schemaText', 'malformed'],
    [{ exampleText: '1e999' }, 'exampleText', 'malformed'],
    [{ schemaText: '{}', schema: {} }, 'schemaText', 'ambiguous'],
    [{ schemaText: '[]' }, 'schema', 'invalid_type'],
    [{ schemaText: 'true' }, 'schema', 'invalid_type'],
    [{ group: '' }, 'group', 'too_small'],
    [{ group: 'a'.repeat(101) }, 'group', 'too_big'],
  ])('%j is rejected, also for a new event type', async (input, field, code) => {
    const issues = [{ path: [field], code }]
    const rejected = { __typename: 'ValidationError', issues }
    expect(await update(await addType(), input)).toMatchObject(rejected)
    expect(await issuesOf(input)).toEqual([[field, code]])
  })

  test('a schema that the example does not match is rejected, and a matching pair is accepted', async () => {
    const name = await addType()
    const schema = { type: 'string' }
    const issues = [{ path: ['example'], code: 'schema_mismatch' }]
    expect(await update(name, { schema })).toMatchObject({ ...MISMATCH, issues })
    const both = { schema, example: 'x' }
    expect((await update(name, both)).eventType).toMatchObject(both)
  })

  test('changes the search keys, in their normal form and each once', async () => {
    const name = await addType({ searchKeys: ['$.seats'] })
    const set = (searchKeys: unknown) => update(name, { searchKeys })
    const described = await update(name, { description: 'Later' })
    expect(described.eventType.searchKeys).toEqual(['$.seats'])
    const normal = ['$.order.id', "$['order-id']"]
    const { eventType } = await set(['$["order"].id', '$.order.id', "$['order-id']"])
    expect(eventType.searchKeys).toEqual(normal)
    expect((await set(null)).eventType.searchKeys).toEqual([])
  })

  test('with ifRevision, what somebody else changed stays until the caller knows of the change', async () => {
    const name = await addType()
    await update(name, { example: { seats: 3 } })
    await run('ArchiveEventType', { id: `type_${name}` })
    const mine = { example: { seats: 4 }, description: 'Mine', ifRevision: 1 }
    const conflict = { __typename: 'EditConflictError', code: 'conflict', revision: 3 }
    expect(await update(name, mine)).toMatchObject(conflict)
    const { eventType } = await update(name, { ...mine, ifRevision: 3 })
    expect(eventType).toMatchObject({ description: 'Mine', revision: 4 })
  })
})

describe('an archived event type', () => {
  test('cannot be published or subscribed to, and existing subscriptions stay', async () => {
    const name = await addType()
    const subscribe = () =>
      operator.run('webhooks', 'CreateWebhook', {
        input: { url: 'https://example.com', eventSubscriptions: [name] },
      })
    const { id } = (await subscribe()).webhook
    const archived = await run('ArchiveEventType', { id: `type_${name}` })
    expect(archived.eventType.archivedAt).not.toBeNull()

    const issues = [{ path: ['type'], code: 'unknown_event_type' }]
    expect(await publish(name, { seats: 1 })).toMatchObject({ ...MISMATCH, issues })
    expect((await subscribe()).__typename).toBe('ValidationError')
    const input = { eventSubscriptions: [name, JOINED] }
    const { webhook } = await operator.run('webhooks', 'UpdateWebhook', { id, input })
    expect(webhook.eventSubscriptions).toEqual([{ name }, { name: JOINED }])

    expect(await run('ArchiveEventType', { id: `type_${name}` })).toEqual(archived)
    await run('UnarchiveEventType', { id: `type_${name}` })
    expect(await publish(name, { seats: 1 })).toMatchObject(PUBLISHED)
  })

  test('is in the catalogue only on request', async () => {
    const name = await addType()
    await run('ArchiveEventType', { id: `type_${name}` })
    const listed = async (variables: object) =>
      (await run('EventTypes', variables)).map((type: { name: string }) => type.name)
    const names = await listed({})
    expect(names).toEqual(expect.arrayContaining([JOINED, TICKET]))
    expect(names).toEqual(names.toSorted())
    expect(await listed({})).not.toContain(name)
    expect(await listed({ includeArchived: true })).toContain(name)
  })
})
