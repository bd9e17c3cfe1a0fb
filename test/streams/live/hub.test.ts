import { afterAll, beforeEach, expect, test, vi } from 'vitest'
import { mintId, parseId } from '../../../src/db/ids.ts'
import { attemptTopic, type LiveDelivery } from '../../../src/deliveries/live.graphql.ts'
import { LiveHub } from '../../../src/streams/live/hub.ts'
import { notify } from '../../../src/streams/live/notify.ts'
import { inBatches, type Pages } from '../../../src/streams/live/stream.ts'
import { sharedDatabase } from '../../support/database.ts'
import { createTenant } from '../../support/factories.ts'
import { until } from '../../support/until.ts'
import { readerOf } from '../event-stream/support/reader.ts'

let tenant: Awaited<ReturnType<typeof createTenant>>

const database = await sharedDatabase()
const hub = new LiveHub({
  ...{ databaseUrl: database.url, sql: database.pool },
  findEnded: async () => [],
  onError: () => {},
})
afterAll(() => hub[Symbol.asyncDispose]())
beforeEach(async () => {
  tenant = await createTenant(database.prisma)
})

const subscribe = () =>
  hub.open(readerOf(tenant), 'notifications', async (news) => {
    const { organizationId } = tenant
    const source = { sql: database.pool, news, organizationId, webhookId: null }
    return news.stream(inBatches((await attemptTopic(source, null)) as Pages<LiveDelivery>))
  })

/** Collects the positions of a stream's items. */
async function follow(): Promise<string[]> {
  const stream = await subscribe()
  const positions: string[] = []
  void (async () => {
    for await (const { item } of stream) positions.push(item.position)
  })().catch(() => {})
  return positions
}

const newId = () => parseId('attempt', mintId('attempt')) as string

const INSERT = `
  insert into posthorn.attempts (id, delivery_id, organization_id, webhook_id, number, started_at, succeeded,
    duration_ms, status, request_url)
  select id, $2, $3, $2, 1, now(), true, 1, 200, '' from unnest($1::uuid[]) as id`

/** Records attempts and notifies of them. */
async function record(ids: readonly string[]): Promise<void> {
  await database.pool.query(INSERT, [ids, newId(), tenant.organizationId])
  await notify(database.pool, new Set([tenant.organizationId]))
}

/** Records an attempt in a transaction, and returns what commits and notifies. */
async function recordLate(id: string) {
  const client = await database.pool.connect()
  await client.query('begin')
  await client.query(INSERT, [[id], newId(), tenant.organizationId])
  return async () => {
    await client.query('commit')
    client.release()
    await notify(database.pool, new Set([tenant.organizationId]))
  }
}

test('an attempt arrives once, also if one with a higher id committed before it', async () => {
  const first = await follow()
  const second = await follow()
  const [low, high] = [newId(), newId()]
  const commit = await recordLate(low)
  await record([high])
  await until(() => first.length === 1 && second.length === 1, 'the higher id arrives')
  await commit()
  await until(() => first.length === 2 && second.length === 2, 'the lower id arrives')
  const last = newId()
  await record([last])
  await until(() => first.length >= 3 && second.length >= 3, 'the next one arrives')
  for (const stream of [first, second]) expect(stream).toEqual([high, low, last])
})

test('a stream begins with what commits after it opened, also under an older id, and with nothing before', async () => {
  await record([newId()])
  const late = newId()
  const commit = await recordLate(late)
  const stream = await follow()
  await commit()
  await until(() => stream.length > 0, 'the late attempt arrives')
  expect(stream).toEqual([late])
})

test('an attempt that a killed process did not notify of arrives with the next notification', async () => {
  const stream = await follow()
  const [unnotified, notified] = [newId(), newId()]
  await database.pool.query(INSERT, [[unnotified], newId(), tenant.organizationId])
  await record([notified])
  await until(() => stream.length >= 2, 'both arrive')
  expect(stream).toEqual([unnotified, notified])
})

test('a client that reads nothing while 11,000 attempts are recorded delays nobody, and gets them later', async () => {
  const idle = await subscribe()
  const reading = await follow()
  await record(Array.from({ length: 11_000 }, newId))
  await until(() => reading.length === 11_000, 'all arrive', 20_000)
  const { value } = await idle.next()
  expect(value?.item.position).toBe(reading[0])
  await idle.return?.()
})

test('clients that are notified together and ask for the same read once', async () => {
  const waiting = () =>
    hub.open(readerOf(tenant), 'notifications', async (news) => {
      await news.next(0)
      return news
    })
  const clients = await Promise.all(Array.from({ length: 5 }, waiting))
  const read = vi.fn(async () => 'new')
  const reads = clients.map(async (news) => (await news.next()) && news.read('same', read))
  await notify(database.pool, new Set([tenant.organizationId]))
  expect(await Promise.all(reads)).toEqual(Array(5).fill('new'))
  expect(read).toHaveBeenCalledOnce()
  for (const news of clients) news.close()
})

test('a notification of another version or program does no harm', async () => {
  const stream = await follow()
  for (const payload of ['', 'end', `${tenant.organizationId} x`]) {
    await database.pool.query('select pg_notify($1, $2)', ['posthorn_live', payload])
  }
  const id = newId()
  await record([id])
  await until(() => stream.length > 0, 'the attempt arrives')
  expect(stream).toEqual([id])
})
