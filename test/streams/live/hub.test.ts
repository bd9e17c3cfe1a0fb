import { afterEach, beforeEach, expect, test } from 'vitest'
import { mintId, parseId } from '../../../src/db/ids.ts'
import { deliveryTopic } from '../../../src/deliveries/live-topics.ts'
import type { LiveItem, Topic } from '../../../src/streams/live/feed.ts'
import { LiveHub } from '../../../src/streams/live/hub.ts'
import { notify } from '../../../src/streams/live/notify.ts'
import { sharedDatabase } from '../../support/database.ts'
import { createTenant, subscribe as createWebhook, JOINED } from '../../support/factories.ts'
import { until } from '../../support/until.ts'

let organizationId: string
let webhookId: string
let hub: LiveHub

const database = await sharedDatabase()
beforeEach(async () => {
  organizationId = (await createTenant(database.prisma)).organizationId
  await createWebhook(database, organizationId, [JOINED])
  const webhook = await database.prisma.webhook.findFirstOrThrow({ where: { organizationId } })
  webhookId = webhook.id
  hub = new LiveHub({
    databaseUrl: database.url,
    sql: database.pool,
    findEnded: async () => [],
    onError: () => {},
  })
})
afterEach(() => hub[Symbol.asyncDispose]())

const subscribe = <Item extends LiveItem>(topic: Topic<Item>) =>
  hub.subscribe({
    ...{ organizationId, apiKeyId: 'key', sessionId: null, topic, webhookId: null, after: null },
    filter: () => true,
    toError: (reason) => new Error(reason),
    disconnect: () => {},
  })

/** Collects the items of a stream. */
async function follow<Item extends LiveItem>(topic: Topic<Item>): Promise<Item[]> {
  const stream = await subscribe(topic)
  const items: Item[] = []
  void (async () => {
    for await (const { item } of stream) items.push(item)
  })().catch(() => {})
  return items
}

const newId = () => parseId('attempt', mintId('attempt')) as string

const INSERT = `
  insert into posthorn.attempts (id, delivery_id, organization_id, webhook_id, number, started_at, succeeded,
    duration_ms, status, request_url)
  select id, $2, $3, $4, 1, now(), true, 1, 200, '' from unnest($1::uuid[]) as id`

/** Records attempts and notifies of them. */
async function record(ids: readonly string[]): Promise<void> {
  await database.pool.query(INSERT, [ids, newId(), organizationId, webhookId])
  await notify(database.pool, new Map([[organizationId, ids.toSorted()[0]]]))
}

const positions = (items: readonly { position: string | null }[]) =>
  items.map(({ position }) => position)

test('an attempt arrives once, also if one with a higher id committed before it', async () => {
  const first = await follow(deliveryTopic)
  const second = await follow(deliveryTopic)
  const [low, high] = [newId(), newId()]
  const client = await database.pool.connect()
  await client.query('begin')
  await client.query(INSERT, [[low], newId(), organizationId, webhookId])
  await record([high])
  await until(() => first.length === 1 && second.length === 1, 'the higher id arrives')
  await client.query('commit')
  client.release()
  await notify(database.pool, new Map([[organizationId, low]]))
  await until(() => first.length === 2 && second.length === 2, 'the lower id arrives')
  const last = newId()
  await record([last])
  await until(() => first.length >= 3 && second.length >= 3, 'the next one arrives')
  for (const stream of [first, second]) expect(positions(stream)).toEqual([high, low, last])
})

test('an attempt that a killed process did not notify of arrives with the next notification', async () => {
  const stream = await follow(deliveryTopic)
  const [unnotified, notified] = [newId(), newId()]
  await database.pool.query(INSERT, [[unnotified], newId(), organizationId, webhookId])
  await record([notified])
  await until(() => stream.length >= 2, 'both arrive')
  expect(positions(stream)).toEqual([unnotified, notified])
})

test('a client that reads nothing while 20,001 attempts are recorded is told to reload, and others get all', async () => {
  const idle = await subscribe(deliveryTopic)
  const reading = await follow(deliveryTopic)
  await record(Array.from({ length: 20_001 }, newId))
  await until(() => reading.length === 20_001, 'all arrive', 20_000)
  await expect(idle.next()).rejects.toThrow('missed too much')
})

test('a notification of another version or program does no harm', async () => {
  const stream = await follow(deliveryTopic)
  for (const payload of ['', 'end', `${organizationId} x`, `${organizationId} ${'-'.repeat(36)}`]) {
    await database.pool.query('select pg_notify($1, $2)', ['posthorn_live', payload])
  }
  const id = newId()
  await record([id])
  await until(() => stream.length > 0, 'the attempt arrives')
  expect(positions(stream)).toEqual([id])
})
