import { afterEach, expect, test } from 'vitest'
import { SYSTEM } from '../../src/auth/access/actor.ts'
import { createEventType } from '../../src/event-types/edit-event-type.ts'
import { fanOut } from '../../src/events/fan-out.ts'
import { document } from '../graphql/support/document.ts'
import { createWebhook } from '../scheduling/support/backlog.ts'
import { startTestApp, useTestApp } from '../support/app.ts'
import { countRows } from '../support/count-rows.ts'
import { useReceiver } from '../support/receiver.ts'
import { until } from '../support/until.ts'
import { finish, runUntilWaiting } from './finish.ts'

let types = 0

const receiver = await useReceiver()
const posthorn = await useTestApp()
afterEach(() => {
  receiver.clear()
  receiver.answer = (response) => response.end()
})

test('the next delivery of an ordered webhook goes out once the one that is retried for days is canceled', async () => {
  failFor('ada')
  const { type } = await subscribe({ ordered: true })
  const [ada = ''] = await publish(type, ['ada', 'bob'])
  await until(async () => (await stateOf(ada)) === 'RETRYING', 'the first one failed')
  const erasure = await erase({ eventIds: [ada], unsent: 'CANCEL' })
  await ended(erasure)
  await until(() => namesReceived().includes('bob'), 'the next one is delivered')
  expect(await stateOf(ada)).toBe('CANCELED')
  expect(namesReceived()).toEqual(['ada', 'bob'])
})

test('an attempt in flight ends, and what its receiver answers is not stored', async () => {
  let answer = () => {}
  receiver.answer = (response) => {
    answer = () => response.end('Hello ada')
  }
  const { type } = await subscribe()
  const [id = ''] = await publish(type, ['ada'])
  await receiver.arrival(1)
  const erasure = await erase({ eventIds: [id], unsent: 'CANCEL' })
  // It ends later: it waits for transactions of other tests, which may take longer than an attempt.
  await until(async () => (await nameIn(id)) === undefined, 'the payload is erased')
  answer()
  const attempts = async () =>
    (await deliveryOf(id)).attempts.nodes.map(({ response }: { response: object }) => response)
  await until(async () => (await attempts()).length === 1, 'the attempt is recorded')
  expect(await attempts()).toEqual([{ status: 200, body: '' }])
  expect(await stateOf(id)).toBe('CANCELED')
  await ended(erasure)
})

test('an event whose deliveries are still created waits for them', async () => {
  await using api = await startTestApp({ role: 'api' })
  const { pool, background, prisma } = api.database
  await createEventType(prisma, { name: 'many', description: 'For many' }, SYSTEM)
  const { organizationId } = api.tenant
  await pool.query(
    `insert into posthorn.webhooks (organization_id, url, enabled, event_subscriptions)
     select $1, 'https://example.com/', true, '{many}' from generate_series(1, 600)`,
    [organizationId],
  )
  const [published] = await api.services.publishEvents(organizationId, [
    { type: 'many', data: { name: 'ada' } },
  ])
  const input = { eventIds: [published?.id ?? ''], unsent: 'CANCEL' }
  const { erase: started } = await api.graphql(document('erasure', 'Erase'), { input })
  const own = { database: api.database, deps: api.services }
  const erased = () => countRows(pool, 'posthorn.events where erased_at is not null')
  const canceled = () => countRows(pool, `posthorn.deliveries where state = 'canceled'`)
  await runUntilWaiting(own, started.task.id)
  expect([await erased(), await canceled()]).toEqual([0, 0])
  await fanOut(background, organizationId, new AbortController().signal)
  await pool.query('update posthorn.bulk_tasks set next_page_at = now()')
  await finish(own, started.task.id)
  expect([await erased(), await canceled()]).toEqual([1, 600])
})

function failFor(name: string): void {
  receiver.answer = (response, { body }) =>
    response.writeHead(nameOf(body) === name ? 503 : 200).end()
}

const nameOf = (body: Buffer): string => JSON.parse(body.toString()).data.name
const namesReceived = () => receiver.received.map(({ body }) => nameOf(body))

async function subscribe(fields: { readonly ordered?: boolean } = {}) {
  types += 1
  const type = `unsent.updated_${types}`
  await createEventType(posthorn.database.prisma, { name: type, description: 'Changed' }, SYSTEM)
  const input = { eventSubscriptions: [type], retryScheduleSeconds: [86_400], ...fields }
  return { type, webhookId: await createWebhook(posthorn, receiver.url, input) }
}

async function publish(type: string, names: readonly string[]): Promise<string[]> {
  const events = names.map((name) => ({ type, data: { name } }))
  const published = await posthorn.services.publishEvents(posthorn.tenant.organizationId, events)
  return published.map(({ id }) => id)
}

async function erase(input: object): Promise<string> {
  const { erase: started } = await posthorn.graphql(document('erasure', 'Erase'), { input })
  return started.task.id
}

const read = async (id: string) =>
  (await posthorn.graphql(document('erasure', 'Erasure'), { id })).bulkTask

const ended = (id: string) =>
  until(async () => (await read(id)).state === 'COMPLETED', 'the erasure has ended', 60_000)

async function eventOf(id: string) {
  const query = `query ($id: ID!) { event(id: $id) { data deliveries(first: 1) { nodes {
    state attempts(first: 5) { nodes { response { status body } } } } } } }`
  return (await posthorn.graphql(query, { id })).event
}

const deliveryOf = async (id: string) => (await eventOf(id)).deliveries.nodes[0]
const stateOf = async (id: string) => (await deliveryOf(id))?.state
const nameIn = async (id: string) => (await eventOf(id)).data?.name
