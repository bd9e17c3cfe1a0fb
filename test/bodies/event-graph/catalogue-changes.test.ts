import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { SYSTEM } from '../../../src/auth/access/actor.ts'
import { createEventType } from '../../../src/event-types/edit-event-type.ts'
import { runCommand } from '../../cli/run-command.ts'
import { createApiKey } from '../../support/api-keys.ts'
import { testEnvironment, useTestApp } from '../../support/app.ts'
import { callerWith } from '../../support/post-graphql.ts'
import { startReceiver } from '../../support/receiver.ts'
import { until } from '../../support/until.ts'
import { useFolder } from '../../support/use-folder.ts'
import { useResource } from '../../support/use-resource.ts'

const object = (properties: object) => ({ type: 'object', properties })
const ORDER = object({ id: { type: 'string' }, total: { type: 'number' } })
const SCHEMA = object({ order: ORDER, note: { type: 'string' } })
const SELECTION = '{ ... on OrderPaid { order { total } } }'
const PAID = { name: 'order.paid', description: 'An order was paid.', schema: SCHEMA }

/** A webhook with the selection. */
let webhookId: string

// Each test begins with an empty catalogue.
const receiver = await useResource(startReceiver())
const posthorn = await useTestApp({ trustedAuthorities: [receiver.authority] })

const { token: operator } = await createApiKey(posthorn.database.prisma, {
  organizationId: posthorn.tenant.organizationId,
  scopes: ['admin'],
})
const folder = await useFolder('selections')

beforeEach(async () => {
  receiver.clear()
  receiver.answer = (response) => response.end()
  const { pool, prisma } = posthorn.database
  await pool.query(`delete from posthorn.webhooks; delete from posthorn.event_types`)
  await createEventType(prisma, PAID, SYSTEM)
  webhookId = await createWebhook(SELECTION)
})

async function createWebhook(selection: string | null): Promise<string> {
  const { createWebhook: result } = await posthorn.graphql(
    `mutation ($input: CreateWebhookInput!) {
      createWebhook(input: $input) {
        ... on CreateWebhookSuccess { webhook { id } }
        ... on ValidationError { message }
      }
    }`,
    { input: { url: receiver.url, eventSubscriptions: ['*'], enabled: true, selection } },
  )
  expect(result.message).toBeUndefined()
  return result.webhook.id
}

/** A mutation of the catalogue: what it answers. */
const change = async (name: string, variables: object) =>
  (await callerWith(posthorn.app.url, operator).graphql(MUTATIONS[name] ?? '', variables)).result

const RESULT = '{ __typename ... on ValidationError { issues { path code message } } }'
const MUTATIONS: Record<string, string> = {
  create: `mutation ($input: CreateEventTypeInput!) { result: createEventType(input: $input) ${RESULT} }`,
  update: `mutation ($id: ID! = "type_order.paid", $input: UpdateEventTypeInput!) { result: updateEventType(id: $id, input: $input) ${RESULT} }`,
  archive: `mutation ($id: ID! = "type_order.paid", $accept: Boolean) { result: updateEventType(id: $id, input: { archived: true, acceptBrokenSelections: $accept }) ${RESULT} }`,
  unarchive: `mutation ($id: ID! = "type_order.paid") { result: updateEventType(id: $id, input: { archived: false }) ${RESULT} }`,
}

async function problems(): Promise<string[]> {
  const { node } = await posthorn.graphql(
    'query ($id: ID!) { node(id: $id) { ... on Webhook { bodyVersion { problems } } } }',
    { id: webhookId },
  )
  return node.bodyVersion.problems
}

const refused = (text: string) => {
  const message = expect.stringContaining(`${text} The selection of ${webhookId} takes it.`)
  const issue = { path: ['acceptBrokenSelections'], code: 'breaks_selection', message }
  return { __typename: 'ValidationError', issues: [issue] }
}

const UPDATED = { __typename: 'UpdateEventTypeSuccess' }

const without = object({ order: object({ id: { type: 'string' } }), note: { type: 'string' } })
const OTHER = 'A selected field of order.paid has another JSON type or property.'
const GONE = 'Cannot query field "total" on type "OrderPaid_Order".'

describe('a change of an event type', () => {
  test('that breaks a selection is refused with the webhook, or accepted; the webhook goes on', async () => {
    await createWebhook(null)
    await createWebhook('{ ... on OrderPaid { note } }')
    expect(await change('update', { input: { schema: without } })).toEqual(refused(GONE))
    expect(await problems()).toEqual([])

    const input = { schema: without, acceptBrokenSelections: true }
    expect(await change('update', { input })).toEqual(UPDATED)
    expect(await problems()).toEqual([GONE])
    // What is broken already does not stand in the way of other changes.
    const other = object({ order: object({ id: { type: 'number' } }), note: { type: 'string' } })
    expect(await change('update', { input: { schema: other } })).toEqual(UPDATED)
    await posthorn.database.pool.query('select posthorn.publish_event($1, $2, $3)', [
      posthorn.tenant.publicOrganizationId,
      'order.paid',
      '{"order": {"id": 1, "total": 1.50}}',
    ])
    const selected = () =>
      receiver.received.find(({ body }) => String(body).includes('"data":{"order":{"total"'))
    await until(async () => selected() !== undefined, 'the webhook sends what it took')
    expect(String(selected()?.body)).toContain('"data":{"order":{"total":1.50}}}')
  })

  test.each<[string, object, string]>([
    ['another JSON type', object({ order: object({ total: { type: 'string' } }) }), OTHER],
    ['an object that becomes a list', object({ order: { type: 'array', items: ORDER } }), OTHER],
  ])('to %s is refused', async (_, schema, message) => {
    expect(await change('update', { input: { schema } })).toEqual(refused(message))
  })

  test.each<[string, object]>([
    ['a new property', object({ ...SCHEMA.properties, more: {} })],
    ['another type of what nobody selects', object({ order: ORDER, note: { type: 'number' } })],
    [
      'an integer',
      object({ order: object({ total: { type: 'integer', minimum: 0, maximum: 9 } }) }),
    ],
    ['null', object({ order: object({ total: { type: ['number', 'null'] } }) })],
  ])('to %s breaks nothing', async (_, schema) => {
    expect(await change('update', { input: { schema } })).toEqual(UPDATED)
    expect(await problems()).toEqual([])
  })

  test('that archives it is refused, or accepted', async () => {
    const message = 'Unknown type "OrderPaid".'
    expect(await change('archive', {})).toEqual(refused(message))
    expect(await change('archive', { accept: true })).toEqual(UPDATED)
    expect(await problems()).toEqual([message])
    expect(await change('unarchive', {})).toEqual(UPDATED)
    expect(await problems()).toEqual([])
  })

  test('whose name changes that of another is refused', async () => {
    const { prisma } = posthorn.database
    await createEventType(prisma, { ...PAID, name: 'user_account.closed' }, SYSTEM)
    webhookId = await createWebhook('{ ... on UserAccountClosed { order { id } } }')
    const input = { name: 'user.account.closed', description: 'The same words.' }
    expect(await change('create', { input })).toEqual(
      refused('Cannot query field "order" on type "UserAccountClosed".'),
    )
    const accepted = { ...input, acceptBrokenSelections: true }
    expect((await change('create', { input: accepted })).__typename).toBe('CreateEventTypeSuccess')
  })
})

test('an import that only archives needs no more than the flag, on the command line too', async () => {
  await posthorn.database.pool.query('delete from posthorn.events')
  const file = path.join(folder, 'none.json')
  await writeFile(file, JSON.stringify({ eventTypes: [{ ...PAID, archived: true }] }))
  const run = (...args: string[]) => command('import', file, '--json', ...args)
  const first = await run()
  expect(first.code).toBe(3)
  expect(JSON.parse(first.stdout)).toMatchObject({
    changes: [{ findings: [{ kind: 'breaks_selection', webhook_ids: [webhookId] }] }],
    written: false,
  })
  const accepted = await run('--accept-broken-selections')
  expect(accepted.code).toBe(0)
  expect(JSON.parse(accepted.stdout)).toMatchObject({ written: true })
})

async function command(...args: string[]) {
  const { port } = new URL(posthorn.app.url)
  const environment = { ...testEnvironment(posthorn.database.url), PORT: port }
  return await runCommand(['event-type', ...args], { ...environment, POSTHORN_API_KEY: operator })
}

test('the fields of event types are listed, those of archived ones too', async () => {
  const { eventTypes } = await posthorn.graphql(
    '{ eventTypes { name graphqlType selectableFields { path hasFields } } }',
  )
  expect(eventTypes).toEqual([
    {
      name: 'order.paid',
      graphqlType: 'OrderPaid',
      selectableFields: [
        { path: ['order'], hasFields: true },
        { path: ['order', 'id'], hasFields: false },
        { path: ['order', 'total'], hasFields: false },
        { path: ['note'], hasFields: false },
      ],
    },
  ])
  await change('archive', { accept: true })
  const { node } = await posthorn.graphql(
    '{ node(id: "type_order.paid") { ... on EventType { graphqlType selectableFields { name } } } }',
  )
  expect(node.graphqlType).toBe('OrderPaid')
  expect(node.selectableFields).toHaveLength(4)
})
