import { beforeAll, describe, expect, test } from 'vitest'
import { JOINED, TICKET } from '../support/factories.ts'
import { type Tenant, useApi } from './support/api.ts'
import { document } from './support/document.ts'

const api = await useApi()
let operator: Tenant
let names = 0

beforeAll(async () => {
  operator = await api.tenant(['admin'])
})

function call(operation: string, variables: Record<string, unknown> = {}) {
  return api.call(operator.token, document('event-types', operation), variables)
}

function publish(type: string, data: unknown) {
  return api.call(operator.token, document('events', 'PublishEvent'), { input: { type, data } })
}

const SCHEMA = {
  type: 'object',
  properties: { seats: { type: 'integer' } },
  required: ['seats'],
}

/** An event type that no other test uses. */
async function addType(fields: object = {}): Promise<string> {
  const name = `test.type_${++names}`
  const input = { name, description: 'A test', schema: SCHEMA, example: { seats: 2 }, ...fields }
  const { data, errors } = await call('CreateEventType', { input })
  expect(errors).toBeUndefined()
  expect(data.createEventType.__typename).toBe('CreateEventTypeSuccess')
  return name
}

async function issuesOf(input: object): Promise<{ path: string[]; code: string }[]> {
  const { data, errors } = await call('CreateEventType', {
    input: { name: 'test.rejected', description: 'A test', ...input },
  })
  expect(errors).toBeUndefined()
  expect(data.createEventType.__typename).toBe('ValidationError')
  return data.createEventType.issues.map(({ path, code }: { path: string[]; code: string }) => ({
    path,
    code,
  }))
}

describe('createEventType', () => {
  test('the event type can be published immediately, and its schema is enforced', async () => {
    const name = await addType()
    const { data: bad } = await publish(name, { seats: 'two' })
    expect(bad.publishEvent).toMatchObject({
      __typename: 'ValidationError',
      issues: [{ path: ['data'], code: 'schema_mismatch' }],
    })
    const { data: good } = await publish(name, { seats: 2 })
    expect(good.publishEvent.__typename).toBe('PublishEventSuccess')
  })

  test('the schema and the example keep the order of their keys, also when only the order changes', async () => {
    const properties = { order: {}, customer: {}, items: {} }
    const example = { order: 1, customer: 'Ada', items: [{ seat: 'B', row: 1 }] }
    const name = await addType({ schema: { type: 'object', properties }, example })
    const stored = async () => {
      const { data } = await call('EventTypes')
      const type = data.eventTypes.find((one: { name: string }) => one.name === name)
      return JSON.stringify([type.schema, type.example])
    }
    expect(await stored()).toBe(JSON.stringify([{ type: 'object', properties }, example]))
    const { order, ...others } = example
    const input = { example: { ...others, order } }
    const { data } = await call('UpdateEventType', { id: `type_${name}`, input })
    expect(data.updateEventType.__typename).toBe('UpdateEventTypeSuccess')
    expect(await stored()).toBe(
      JSON.stringify([
        { type: 'object', properties },
        { ...others, order },
      ]),
    )
  })

  test('an existing name is a conflict', async () => {
    const { data } = await call('CreateEventType', { input: { name: JOINED, description: 'A' } })
    expect(data.createEventType).toMatchObject({ __typename: 'ConflictError', code: 'conflict' })
  })

  test('all problems are listed', async () => {
    expect(
      await issuesOf({ name: 'not a name', description: ' ', schema: { type: 'objekt' } }),
    ).toEqual([
      { path: ['name'], code: 'invalid_format' },
      { path: ['description'], code: 'too_small' },
      { path: ['schema'], code: 'invalid_schema' },
    ])
  })

  test.each<[string, unknown]>([
    ['a type that there is not', { type: 'objekt' }],
    ['a remote reference', { $ref: 'https://example.com/schema.json' }],
    ['a reference to nothing', { $ref: '#/$defs/missing' }],
    ['an invalid pattern', { pattern: '(' }],
    ['another dialect', { $schema: 'http://json-schema.org/draft-04/schema#' }],
    ['checks that end later', { $async: true }],
    ['more than 64 KiB', { description: 'x'.repeat(70_000) }],
    ['an array', []],
    ['true', true],
  ])('a schema with %s is rejected', async (_what, schema) => {
    const issues = await issuesOf({ schema })
    expect(issues.map(({ path }) => path)).toEqual([['schema']])
  })

  test.each<[string, unknown[], object]>([
    ['no path', ['$.order', 'order.id'], { path: ['searchKeys', '1'], code: 'invalid_path' }],
    [
      'all elements of an array',
      ['$.items[*]'],
      { path: ['searchKeys', '0'], code: 'invalid_path' },
    ],
    [
      'nine paths',
      [...'abcdefghi'].map((name) => `$.${name}`),
      { path: ['searchKeys'], code: 'too_big' },
    ],
  ])('search keys with %s are rejected', async (_what, searchKeys, issue) => {
    expect(await issuesOf({ searchKeys })).toEqual([issue])
  })

  test('references inside the schema are followed', async () => {
    const name = await addType({
      schema: { $ref: '#/$defs/seats', $defs: { seats: SCHEMA } },
    })
    const { data } = await publish(name, {})
    expect(data.publishEvent.__typename).toBe('ValidationError')
  })

  test('a pattern that would backtrack for hours decides about every event', async () => {
    const schema = { type: 'string', pattern: '^(a+)+$' }
    const name = await addType({ schema, example: 'aaa' })
    const { data } = await publish(name, `${'a'.repeat(50)}!`)
    expect(data.publishEvent).toMatchObject({
      __typename: 'ValidationError',
      issues: [{ path: ['data'], code: 'schema_mismatch' }],
    })
    const { data: other } = await publish(name, 'a'.repeat(50))
    expect(other.publishEvent.__typename).toBe('PublishEventSuccess')
  })

  test('a pattern that needs backtracking is rejected by name, with the remedy', async () => {
    const schema = { patternProperties: { '^(?!x)': {} } }
    const input = { name: 'test.rejected', description: 'A test', schema }
    const { data } = await call('CreateEventType', { input })
    expect(data.createEventType.issues).toEqual([
      {
        path: ['schema'],
        code: 'invalid_schema',
        message: expect.stringMatching(/the pattern "\^\(\?!x\)" .* write it without look-around/),
      },
    ])
  })

  test('data that a schema would check for hours is rejected quickly', async () => {
    const twice = { allOf: Array(2).fill({ items: { $ref: '#/$defs/list' } }) }
    const name = await addType({
      schema: { $ref: '#/$defs/list', $defs: { list: twice } },
      example: null,
    })
    const nested = (depth: number) => JSON.parse('['.repeat(depth) + ']'.repeat(depth))
    expect((await publish(name, nested(100))).data.publishEvent).toMatchObject({
      __typename: 'ValidationError',
      issues: [{ path: ['data'], code: 'check_too_slow' }],
    })
    expect((await publish(name, nested(5))).data.publishEvent.__typename).toBe(
      'PublishEventSuccess',
    )
  })

  test.each<[string, unknown, string]>([
    ['does not meet the schema', { seats: 'two' }, 'schema_mismatch'],
    ['is larger than what can be published', { seats: 1, x: 'x'.repeat(270_000) }, 'too_large'],
    ['has a NUL', { seats: 1, x: 'a\0' }, 'invalid_text'],
  ])('an example that %s is rejected', async (_what, example, code) => {
    expect(await issuesOf({ schema: SCHEMA, example })).toEqual([{ path: ['example'], code }])
  })
})

describe('updateEventType', () => {
  test('changes the given fields; null removes the schema and the example', async () => {
    const name = await addType()
    const { data } = await call('UpdateEventType', {
      id: `type_${name}`,
      input: { description: 'Later' },
    })
    expect(data.updateEventType.eventType).toEqual({
      name,
      description: 'Later',
      schema: SCHEMA,
      example: { seats: 2 },
      searchKeys: [],
      group: null,
      version: 1,
      archivedAt: null,
      revision: 2,
    })
    const { data: cleared } = await call('UpdateEventType', {
      id: `type_${name}`,
      input: { schema: null, example: null },
    })
    expect(cleared.updateEventType.eventType).toMatchObject({ schema: null, example: null })
    expect((await publish(name, 'anything')).data.publishEvent.__typename).toBe(
      'PublishEventSuccess',
    )
  })

  test('another schema is another version, with its text to the letter', async () => {
    const name = await addType({ group: 'Seats' })
    const id = `type_${name}`
    const schemaText = '{ "type": "object", "maxProperties": 1e1, "1": {} }'
    const { data } = await call('UpdateEventType', { id, input: { schemaText, group: null } })
    expect(data.updateEventType.eventType).toMatchObject({ version: 2, group: null })
    // Again, the same changes nothing.
    await call('UpdateEventType', { id, input: { schemaText, description: 'A test' } })
    const { data: read } = await call('EventTypeVersions', { id })
    expect(read.node).toEqual({
      name,
      version: 2,
      versions: [
        { version: 2, schema: JSON.parse(schemaText), createdAt: expect.any(String) },
        { version: 1, schema: SCHEMA, createdAt: expect.any(String) },
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
    [{ group: '' }, 'group', 'too_small'],
    [{ group: 'a'.repeat(101) }, 'group', 'too_big'],
  ])('%j is rejected, also for a new event type', async (input, field, code) => {
    const name = await addType()
    const { data } = await call('UpdateEventType', { id: `type_${name}`, input })
    expect(data.updateEventType).toMatchObject({
      __typename: 'ValidationError',
      issues: [{ path: [field], code }],
    })
    expect(await issuesOf(input)).toEqual([{ path: [field], code }])
  })

  test('a schema that the example does not match is rejected, and a matching pair is accepted', async () => {
    const name = await addType()
    const schema = { type: 'string' }
    const { data } = await call('UpdateEventType', { id: `type_${name}`, input: { schema } })
    expect(data.updateEventType).toMatchObject({
      __typename: 'ValidationError',
      issues: [{ path: ['example'], code: 'schema_mismatch' }],
    })
    const { data: both } = await call('UpdateEventType', {
      id: `type_${name}`,
      input: { schema, example: 'x' },
    })
    expect(both.updateEventType.eventType).toMatchObject({ schema, example: 'x' })
  })

  test('changes the search keys, in their normal form and each once', async () => {
    const name = await addType({ searchKeys: ['$.seats'] })
    const update = async (searchKeys: unknown) =>
      (await call('UpdateEventType', { id: `type_${name}`, input: { searchKeys } })).data
        .updateEventType
    const description = await call('UpdateEventType', {
      id: `type_${name}`,
      input: { description: 'Later' },
    })
    expect(description.data.updateEventType.eventType.searchKeys).toEqual(['$.seats'])
    const { eventType } = await update(['$["order"].id', '$.order.id', "$['order-id']"])
    expect(eventType.searchKeys).toEqual(['$.order.id', "$['order-id']"])
    expect(await update(['order.id'])).toMatchObject({
      __typename: 'ValidationError',
      issues: [
        {
          path: ['searchKeys', '0'],
          code: 'invalid_path',
          message: expect.stringContaining('searchKeys[0] must be a path such as $.order.id'),
        },
      ],
    })
    const { rows } = await api.database.pool.query(
      `select before, after from posthorn.audit_log where subject_id = $1 order by id desc limit 1`,
      [name],
    )
    expect(rows).toEqual([
      {
        before: { searchKeys: ['$.seats'] },
        after: { searchKeys: ['$.order.id', "$['order-id']"] },
      },
    ])
    expect(await update(null)).toMatchObject({ issues: [{ path: ['searchKeys'] }] })
    expect((await update([])).eventType.searchKeys).toEqual([])
  })

  test('with ifRevision, what somebody else changed stays until the caller knows of the change', async () => {
    const name = await addType()
    const update = async (input: object) =>
      (await call('UpdateEventType', { id: `type_${name}`, input })).data.updateEventType
    await update({ example: { seats: 3 } })
    await call('ArchiveEventType', { id: `type_${name}` })
    const mine = { example: { seats: 4 }, description: 'Mine', ifRevision: 1 }
    expect(await update(mine)).toMatchObject({
      __typename: 'EditConflictError',
      code: 'conflict',
      revision: 3,
    })
    const decided = await update({ ...mine, ifRevision: 3 })
    expect(decided.eventType).toMatchObject({ description: 'Mine', revision: 4 })
  })
})

test('a name that is nearly that of an event type: the message has the name', async () => {
  const { data } = await call('ArchiveEventType', { id: 'type_event_attendee.joined' })
  expect(data.updateEventType.message).toBe(
    'There is no event type "event_attendee.joined". Did you mean "event_attendee.joined_event"?',
  )
})

describe('an archived event type', () => {
  test('an archived type cannot be published or subscribed to, and existing subscriptions stay', async () => {
    const name = await addType()
    const webhook = (eventSubscriptions: string[]) =>
      api.call(operator.token, document('webhooks', 'CreateWebhook'), {
        input: { url: 'https://example.com', eventSubscriptions },
      })
    const { data: before } = await webhook([name])
    const { id } = before.createWebhook.webhook
    const { data } = await call('ArchiveEventType', { id: `type_${name}` })
    expect(data.updateEventType.eventType.archivedAt).not.toBeNull()

    expect((await publish(name, { seats: 1 })).data.publishEvent).toMatchObject({
      __typename: 'ValidationError',
      issues: [{ path: ['type'], code: 'unknown_event_type' }],
    })
    expect((await webhook([name])).data.createWebhook.__typename).toBe('ValidationError')
    const { data: kept } = await api.call(operator.token, document('webhooks', 'UpdateWebhook'), {
      id,
      input: { eventSubscriptions: [name, JOINED] },
    })
    expect(kept.updateWebhook.webhook.eventSubscriptions).toEqual([{ name }, { name: JOINED }])

    const { data: again } = await call('ArchiveEventType', { id: `type_${name}` })
    expect(again.updateEventType).toEqual(data.updateEventType)
    await call('UnarchiveEventType', { id: `type_${name}` })
    expect((await publish(name, { seats: 1 })).data.publishEvent.__typename).toBe(
      'PublishEventSuccess',
    )
  })

  test('the catalogue contains archived types only on request', async () => {
    const name = await addType()
    await call('ArchiveEventType', { id: `type_${name}` })
    const listed = async (variables: object) =>
      (await call('EventTypes', { ...variables })).data.eventTypes.map(
        (type: { name: string }) => type.name,
      )
    expect(await listed({})).toEqual(expect.arrayContaining([JOINED, TICKET]))
    expect(await listed({})).not.toContain(name)
    expect(await listed({ includeArchived: true })).toContain(name)
  })
})
