import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { SYSTEM } from '../../src/auth/access/actor.ts'
import { createEventType } from '../../src/event-types/edit-event-type.ts'
import { openWorkerProcesses } from '../bulk-tasks/worker-processes.ts'
import { document } from '../graphql/support/document.ts'
import { createWebhook } from '../scheduling/support/backlog.ts'
import { countRows } from '../support/count-rows.ts'
import { createTenant } from '../support/factories.ts'
import { until } from '../support/until.ts'
import { useResource } from '../support/use-resource.ts'

/** `ERASED=100000` makes a long run. */
const COUNT = Number(process.env['ERASED'] ?? 1_000)
const KILLS = 2
const TYPE = 'customer.updated'
const PATH = '$.customer.email'

/** As no part of a word of the catalogue, a URL or an id. */
const marker = `ada-${randomUUID()}@example.org`
const others = `bob-${randomUUID()}@example.org`

const processes = await useResource(
  openWorkerProcesses({ POSTHORN_LOG_LEVEL: 'debug', POSTHORN_CONCURRENCY: '20' }),
)
const { api, receiver } = processes

beforeAll(async () => {
  // A receiver that answers with what it got.
  receiver.answer = (response, { body }) => {
    response.setHeader('x-customer', JSON.parse(body.toString()).data.customer.email)
    response.end(body)
  }
  const type = { name: TYPE, description: 'A customer changed', searchKeys: [PATH] }
  await createEventType(api.database.prisma, type, SYSTEM)
})

test(`${COUNT} payloads are erased while they are sent and workers are killed at random, and nothing of them is left`, async () => {
  // Many deliveries wait for the limit, so that the erasure cancels them.
  const rateLimitPerSecond = Math.ceil(COUNT / 30)
  await createWebhook(api, receiver.url, { eventSubscriptions: [TYPE], rateLimitPerSecond })
  const other = await createTenant(api.database.prisma)
  const mine = await publish(api.tenant.organizationId, marker, COUNT)
  const kept = await publish(api.tenant.organizationId, others, 50)
  const elsewhere = await publish(other.organizationId, marker, 50)
  const before = await contentsOf([...kept, ...elsewhere])

  processes.start()
  processes.start()
  let canceled = 0
  try {
    await until(() => receiver.received.length > COUNT / 10, 'some are delivered', 60_000)
    const id = await start({ searchKey: { path: PATH, equals: marker }, unsent: 'CANCEL' })
    await processes.killAtRandom(KILLS, async (part) => (await erased(id)) >= part * COUNT)
    await until(
      async () => (await read(id)).state === 'COMPLETED',
      'the erasure is complete',
      180_000,
    )
    expect(await erased(id)).toBe(COUNT)
    canceled = (await read(id)).canceled
    await until(async () => (await pending()) === 0, 'all deliveries are final', 120_000)
  } finally {
    await processes.stop()
  }

  // The event and its search key of the other organization are all that names the value.
  const { pool } = api.database
  const gone = `posthorn.events where id = any ($1) and data = 'null' and erased_at is not null`
  expect(await countRows(pool, gone, [mine])).toBe(COUNT)
  expect(await contentsOf([...kept, ...elsewhere])).toEqual(before)
  for (const table of ['attempts', 'deliveries', 'audit_log', 'bulk_tasks']) {
    const found = await countRows(
      pool,
      `posthorn.${table} as row where organization_id = $1
         and (position($2 in row::text) > 0 or position($3 in row::text) > 0)`,
      [api.tenant.organizationId, marker, Buffer.from(marker).toString('hex')],
    )
    expect(found, table).toBe(0)
  }
  expect(processes.started.length).toBe(2 + KILLS)
  const output = processes.started.map(({ stdout, stderr }) => stdout + stderr).join('')
  const withState = `posthorn.deliveries where event_id = any ($1) and state = 'canceled'`
  expect(canceled).toBeGreaterThan(0)
  expect(await countRows(pool, withState, [mine])).toBeGreaterThanOrEqual(canceled)
  expect(output).not.toContain(marker)
  const metrics = await fetch(`${api.app.url}/metrics`).then((response) => response.text())
  expect(metrics).not.toContain(marker)
}, 600_000)

async function publish(organizationId: string, email: string, count: number): Promise<string[]> {
  const ids: string[] = []
  for (let at = 0; at < count; at += 100) {
    const events = Array.from({ length: Math.min(100, count - at) }, (_, i) => ({
      type: TYPE,
      data: { customer: { email }, number: at + i, note: randomUUID().repeat(80) },
      previous: { customer: { email } },
    }))
    ids.push(...(await api.services.publishEvents(organizationId, events)).map(({ id }) => id))
  }
  const { rows } = await api.database.pool.query<{ id: string }>(
    `select id from posthorn.events where posthorn.type_id('evt', id) = any ($1) order by id`,
    [ids],
  )
  return rows.map(({ id }) => id)
}

async function contentsOf(uuids: readonly string[]) {
  const { rows } = await api.database.pool.query(
    `select e.id, e.data, e.previous, e.erased_at, (
       select array_agg(k.path || k.value) from posthorn.event_keys as k where k.event_id = e.id) as keys
     from posthorn.events as e where e.id = any ($1) order by e.id`,
    [uuids],
  )
  return rows
}

async function start(input: object): Promise<string> {
  const { erase } = await api.graphql(document('erasure', 'Erase'), { input })
  return erase.task.id
}

async function read(id: string) {
  return (await api.graphql(document('erasure', 'Erasure'), { id })).bulkTask
}

const erased = async (id: string): Promise<number> => (await read(id)).changed

const pending = () => countRows(api.database.pool, `posthorn.deliveries where state = 'pending'`)
