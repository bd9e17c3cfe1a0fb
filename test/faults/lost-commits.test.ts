import { beforeEach, expect, test } from 'vitest'
import { JOINED } from '../support/factories.ts'
import { until } from '../support/until.ts'
import { useProxiedApp } from './proxied-app.ts'

/** A crash of this Postgres loses every commit that did not wait for the disk, since the last one that did. */
const { postgres, proxy, receiver, app } = await useProxiedApp(async (server) => {
  await server.query(`alter system set wal_writer_delay = '10s'`)
  await server.stop('fast')
  await server.start()
})

beforeEach(() => {
  receiver.answer = (response) => response.end()
  receiver.clear()
})

/** A heartbeat commits once a second and waits for the disk, so a crash in that moment loses nothing. */
const MAX_ROUNDS = 10

test('a crash that loses completions leaves every success as recorded, and sends nothing again', async () => {
  let lost = 0
  for (let round = 1; round <= MAX_ROUNDS && lost === 0; round++) {
    receiver.clear()
    const id = await publish()
    await until(async () => (await jobs()).length === 0, 'the job is completed')
    await crash()
    lost += (await jobs()).length
    expect(await deliveryOf(id)).toEqual({ state: 'succeeded', attempts: 1 })
    proxy.connect()
    await until(async () => (await jobs()).length === 0, 'no job is left', 30_000)
    expect(await deliveryOf(id)).toEqual({ state: 'succeeded', attempts: 1 })
    expect(receiver.received).toHaveLength(1)
  }
  expect(lost).toBeGreaterThan(0)
})

test('a crash that loses claims sends those deliveries again at worst, and the first success stays', async () => {
  let lost = 0
  for (let round = 1; round <= MAX_ROUNDS && lost === 0; round++) {
    receiver.clear()
    const answers: (() => void)[] = []
    receiver.answer = (response) => {
      const status = answers.length === 0 ? 200 : 500
      answers.push(() => response.writeHead(status).end())
    }
    const id = await publish()
    await receiver.arrival(1)
    await crash()
    const [job] = await jobs()
    const isLost = job?.locked_by === null
    proxy.connect()
    if (isLost) await receiver.arrival(2)
    for (const [sent, answer] of answers.entries()) {
      answer()
      const attempts = sent + 1
      await until(
        async () => (await deliveryOf(id)).attempts === attempts,
        'it is recorded',
        30_000,
      )
      expect((await deliveryOf(id)).state).toBe('succeeded')
    }
    await until(async () => (await jobs()).length === 0, 'no job is left', 30_000)
    expect(receiver.received).toHaveLength(isLost ? 2 : 1)
    expect(arrived()).toEqual(new Set([id]))
    if (isLost) lost += 1
  }
  expect(lost).toBeGreaterThan(0)
})

test('under load, a crash loses no accepted event and no recorded success', async () => {
  const accepted = new Set<string>()
  // Each publishes until the crash.
  const publishing = Array.from({ length: 10 }, async () => {
    for (;;) accepted.add(await publish())
  })
  const ended = Promise.allSettled(publishing)
  await until(() => receiver.received.length > 200, 'deliveries arrive')
  await crash()
  const succeeded = await succeededIds()
  await ended
  proxy.connect()
  await until(async () => (await jobs()).length === 0, 'no job is left', 60_000)
  const received = arrived()
  expect([...accepted].filter((id) => !received.has(id))).toEqual([])
  const after = new Set(await succeededIds())
  expect(succeeded.filter((id) => !after.has(id))).toEqual([])
  expect([...accepted].filter((id) => !after.has(id))).toEqual([])
})

/** Postgres ends without writing what waits in memory, and runs again. The app gets no connection before `connect`. */
async function crash(): Promise<void> {
  const stopped = postgres.stop('immediate')
  proxy.disconnect()
  await stopped
  await postgres.start()
}

/** Returns the id of the event. */
async function publish(): Promise<string> {
  const { publishEvent } = await app.graphql(
    `mutation ($input: PublishEventInput!) {
      publishEvent(input: $input) { ... on PublishEventSuccess { publishedEvent { id } } }
    }`,
    { input: { type: JOINED, data: {} } },
  )
  return publishEvent.publishedEvent.id
}

/** The ids of the events that arrived. */
function arrived(): Set<string> {
  return new Set(receiver.received.map(({ body }) => JSON.parse(body.toString()).id))
}

async function jobs(): Promise<{ locked_by: string | null }[]> {
  return await postgres.query(
    `select locked_by from graphile_worker.jobs where task_identifier = 'posthorn:deliver'`,
  )
}

async function deliveryOf(id: string): Promise<{ state: string; attempts: number }> {
  const [delivery] = await postgres.query(
    `select d.state, (select count(*)::int from posthorn.attempts as a where a.delivery_id = d.id) as attempts
     from posthorn.deliveries as d where posthorn.type_id('evt', d.event_id) = $1`,
    [id],
  )
  return delivery
}

/** The ids of the events whose deliveries are recorded as succeeded. */
async function succeededIds(): Promise<string[]> {
  const rows = await postgres.query(
    `select posthorn.type_id('evt', event_id) as id from posthorn.deliveries where state = 'succeeded'`,
  )
  return rows.map(({ id }) => id)
}
