import { randomUUID } from 'node:crypto'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { SYSTEM } from '../../src/auth/access/actor.ts'
import { parseId, publicId } from '../../src/db/ids.ts'
import { createEventType } from '../../src/event-types/edit-event-type.ts'
import { useApi, useTenant } from '../graphql/support/api.ts'
import { addWebhook, deliveryIds, recordAttempt } from '../graphql/support/rows.ts'
import { finish, runPage, runUntilWaiting } from './finish.ts'
import { STATISTICS, tablesWith } from './search-everywhere.ts'

const TYPE = 'erase.updated'
const PATH = '$.customer.email'

let email: string

const api = await useApi()
const tenant = useTenant(api)

beforeAll(async () => {
  const searchKeys = [PATH, '$.order']
  const type = { name: TYPE, description: 'A customer changed', searchKeys }
  await createEventType(api.database.prisma, type, SYSTEM)
})
beforeEach(() => {
  email = `ada-${randomUUID()}@example.org`
})

const run = (operation: string, variables: object) => tenant.run('erasure', operation, variables)

async function eraseAll(input: object) {
  const started = await run('Erase', { input })
  expect(started).toMatchObject({ __typename: 'EraseSuccess' })
  await finish(api, started.task.id)
  return await run('Erasure', { id: started.task.id })
}

/** Publishes events that name the address in their data and previous data. */
async function publishOf(address: string, count = 1, organizationId = tenant.organizationId) {
  const events = Array.from({ length: count }, (_, i) => ({
    type: TYPE,
    data: { customer: { email: address }, order: i },
    previous: { customer: { email: address, name: 'Ada' } },
  }))
  return (await api.deps.publishEvents(organizationId, events)).map(({ id }) => id)
}

/** An attempt whose receiver answers with the address. */
const answer = (deliveryId: string) =>
  recordAttempt(api.database, deliveryId, 200, {
    responseHeaders: { 'x-customer': email },
    responseBody: Buffer.from(`Hello ${email}`),
  })

async function eventOf(id: string) {
  const query = `query ($id: ID!) { event(id: $id) {
    type { name } data dataText previous previousText preview body erasedAt
    deliveries(first: 5) { nodes { id state payloadState body attempts(first: 5) { nodes { request { body } response { status body headers { value } } } } } } } }`
  return (await tenant.ask(query, { id })).event
}

describe('an erasure by search key', () => {
  test('erases the value in every table, keeps the records, and reports what was erased where', async () => {
    await addWebhook(api, tenant.organizationId, { eventType: TYPE })
    const [id = ''] = await publishOf(email, 3)
    const others = await publishOf('bob@example.org', 2)
    const [delivery = ''] = (await eventOf(id)).deliveries.nodes.map(
      (one: { id: string }) => one.id,
    )
    await answer(delivery)
    expect((await tablesWith(api.database.pool, email)).length).toBeGreaterThan(2)

    const searchKey = { path: PATH, equals: email }
    expect(await run('Erase', { input: { searchKey, unsent: 'CANCEL', dryRun: true } })).toEqual({
      __typename: 'EraseSuccess',
      ...{ count: 3, countIsExact: true, unsentCount: 2, task: null },
    })
    const report = await eraseAll({ searchKey, unsent: 'CANCEL' })
    expect(report).toMatchObject({ state: 'COMPLETED', searchKey: PATH, total: 3, waiting: 0 })
    expect(report).toMatchObject({ changed: 3, canceled: 2 })
    expect(await tablesWith(api.database.pool, email)).toEqual([])

    const event = await eventOf(id)
    const gone = { data: null, dataText: null, previous: null, previousText: null }
    expect(event).toMatchObject({ type: { name: TYPE }, ...gone, preview: null, body: null })
    expect(event.erasedAt).toEqual(expect.any(String))
    const [{ attempts, ...kept }] = event.deliveries.nodes
    expect(kept).toEqual({ id: delivery, state: 'SUCCEEDED', payloadState: 'ERASED', body: null })
    const response = { status: 200, body: '', headers: [] }
    expect(attempts.nodes).toEqual([{ request: { body: null }, response }])
    for (const other of others) {
      expect(await eventOf(other)).toMatchObject({ data: { customer: {} }, erasedAt: null })
    }
  })

  test('erases the value in the statistics', async () => {
    await publishOf(email, 120)
    const { pool } = api.database
    await publishOf('bob@example.org')
    await pool.query('analyze')
    expect(await tablesWith(pool, email)).toContain(STATISTICS)
    await eraseAll({ searchKey: { path: PATH, equals: email }, unsent: 'CANCEL' })
    expect(await tablesWith(pool, email)).toEqual([])
  })
})

describe('an erasure by ids', () => {
  test('erases an event with more deliveries than a page has', async () => {
    await addWebhook(api, tenant.organizationId, { eventType: TYPE })
    const [id = ''] = await publishOf(email)
    await api.database.pool.query(
      `insert into posthorn.deliveries (id, organization_id, webhook_id, event_id, event_type, max_attempts)
       select posthorn.uuid_v7(), organization_id, webhook_id, event_id, event_type, max_attempts
       from posthorn.deliveries, generate_series(1, 600) where event_id = $1`,
      [parseId('event', id)],
    )
    const report = await eraseAll({ eventIds: [id], unsent: 'CANCEL' })
    expect(report).toMatchObject({ changed: 1, canceled: 601 })
    expect(await eventOf(id)).toMatchObject({ data: null })
  })

  test.each([
    [{ unsent: 'CANCEL' }, 'Give exactly one of the two.'],
    [
      { eventIds: ['evt_x'], searchKey: { path: PATH, equals: 'x' }, unsent: 'CANCEL' },
      'Give exactly one of the two.',
    ],
    [
      { searchKey: { path: '$.unknown', equals: 'x' }, unsent: 'CANCEL' },
      'searchKey.path must be a search key of an event type.',
    ],
    [{ eventIds: [], unsent: 'CANCEL' }, 'eventIds must not be empty.'],
    [{ eventIds: ['msg_x'], unsent: 'CANCEL' }, 'eventIds[0] must be the id of an event: evt_….'],
  ])('rejects %j', async (input, message) => {
    expect(await run('Erase', { input })).toMatchObject({
      __typename: 'ValidationError',
      message: expect.stringContaining(message),
    })
  })

  test('does not find the event of another organization', async () => {
    const other = await api.tenant()
    const [id = ''] = await publishOf(email, 1, other.organizationId)
    const result = await run('Erase', { input: { eventIds: [id], unsent: 'CANCEL' } })
    expect(result).toMatchObject({ __typename: 'NotFoundError' })
    const { rows } = await api.database.pool.query(
      'select data from posthorn.events where id = $1',
      [parseId('event', id)],
    )
    expect(rows[0].data).toContain(email)
  })
})

test('deliveries that are not sent yet are sent first: their event is erased once all have finished', async () => {
  await addWebhook(api, tenant.organizationId, { eventType: TYPE })
  const [id = ''] = await publishOf(email)
  const started = await run('Erase', {
    input: { searchKey: { path: PATH, equals: email }, unsent: 'SEND_FIRST' },
  })
  expect(started).toMatchObject({ count: 1, unsentCount: 1 })
  const erasureId = started.task.id
  await runUntilWaiting(api, erasureId)
  expect(await run('Erasure', { id: erasureId })).toMatchObject({ state: 'RUNNING', waiting: 1 })
  // Also while the next pass has not begun.
  await runPage(api, erasureId)
  expect(await run('Erasure', { id: erasureId })).toMatchObject({ state: 'RUNNING', waiting: 1 })
  expect(await eventOf(id)).toMatchObject({ data: { customer: { email } } })
  const [delivery = ''] = await deliveryIds(api.database, tenant.organizationId)
  await answer(delivery)
  await api.database.pool.query('update posthorn.bulk_tasks set next_page_at = now()')
  await finish(api, erasureId)
  const report = await run('Erasure', { id: erasureId })
  expect(report).toMatchObject({ state: 'COMPLETED', waiting: 0 })
  const deliveries = { nodes: [{ state: 'SUCCEEDED' }] }
  expect(await eventOf(id)).toMatchObject({ data: null, deliveries })
  expect(await tablesWith(api.database.pool, email)).toEqual([])
})

test('an erasure that a process left half done is gone through again until it is complete', async () => {
  await addWebhook(api, tenant.organizationId, { eventType: TYPE })
  await publishOf(email, 120)
  const searchKey = { path: PATH, equals: email }
  const { task: erasure } = await run('Erase', { input: { searchKey, unsent: 'CANCEL' } })
  await api.database.pool.query(
    `update posthorn.bulk_tasks set reached_id = 'ffffffff-ffff-ffff-ffff-ffffffffffff' where id = $1`,
    [parseId('bulkTask', erasure.id)],
  )
  await finish(api, erasure.id)
  const report = await run('Erasure', { id: erasure.id })
  expect(report).toMatchObject({ changed: 120, canceled: 120 })
  expect(await tablesWith(api.database.pool, email)).toEqual([])
})

test('an erasure keeps the search key without its value, and so does the audit log', async () => {
  const { task: erasure } = await run('Erase', {
    input: { searchKey: { path: PATH, equals: email }, unsent: 'CANCEL' },
  })
  expect(await tablesWith(api.database.pool, email)).toEqual([])
  const uuid = parseId('bulkTask', erasure.id) as string
  const running = await api.database.prisma.bulkTask.findUniqueOrThrow({ where: { id: uuid } })
  expect(running.valueCiphertext).not.toBeNull()
  await finish(api, erasure.id)
  const ended = await api.database.prisma.bulkTask.findUniqueOrThrow({ where: { id: uuid } })
  const selection = { searchKey: PATH, unsent: 'cancel' }
  expect(ended).toMatchObject({ valueCiphertext: null, selection })
  const { rows } = await api.database.pool.query(
    'select action, after from posthorn.audit_log where subject_id = $1',
    [publicId('bulkTask', uuid)],
  )
  const after = { action: 'erase', searchKey: PATH, unsent: 'cancel' }
  expect(rows).toEqual([{ action: 'bulk_task.started', after }])
})
