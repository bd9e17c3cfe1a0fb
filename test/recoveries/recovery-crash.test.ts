import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parseId } from '../../src/db/ids.ts'
import { document } from '../graphql/support/document.ts'
import { startTestApp, type TestApp, testEnvironment } from '../support/app.ts'
import { JOINED } from '../support/factories.ts'
import { type PosthornProcess, startPosthorn } from '../support/posthorn-process.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { until } from '../support/until.ts'
import { addDeliveries, addEvents, makePastPartitions } from './recovery-rows.ts'

/** Half of them failed, half of them missed. `RECOVERED=100000` for a long run. */
const COUNT = Number(process.env['RECOVERED'] ?? 20_000)
const RATE_PER_SECOND = 4_000
const KILLS = 6

/** A worker at rest has 170 MB or so; what it sends at the same time takes the rest. */
const MOST_MEGABYTES = 400

const at = new Date(Date.now() - 86_400_000)

let receiver: Receiver
let api: TestApp
let directory: string

beforeAll(async () => {
  receiver = await startReceiver()
  directory = await mkdtemp(path.join(tmpdir(), 'posthorn recovery '))
  await writeFile(path.join(directory, 'ca.pem'), receiver.authority)
  api = await startTestApp({ role: 'api' })
  await makePastPartitions(api.database.pool)
})
afterAll(async () => {
  await api[Symbol.asyncDispose]()
  await receiver[Symbol.asyncDispose]()
  await rm(directory, { recursive: true, force: true })
})

test(`${COUNT} deliveries are recovered while workers are killed at random: nothing twice, nothing missing, memory flat`, async () => {
  const webhookId = await register()
  const { pool } = api.database
  const { organizationId } = api.tenant
  const failed = await addEvents(pool, organizationId, { at, count: COUNT / 2 })
  await addDeliveries(pool, webhookId, failed, 'exhausted')
  const later = new Date(at.getTime() + COUNT)
  const missed = await addEvents(pool, organizationId, { at: later, count: COUNT / 2 })
  // As autovacuum leaves it, which does not come in time for a test.
  await pool.query('analyze')

  const workers = [startWorker(), startWorker()]
  const memory = watchMemory(workers)
  try {
    const recovery = await recover(webhookId)
    expect(recovery.total).toBe(COUNT)
    const kills = Array.from({ length: KILLS }, () => Math.random() * 0.9).sort((a, b) => a - b)
    for (const share of kills) {
      await until(
        async () => (await progress(recovery.id)) >= share,
        `${Math.round(share * 100)} % are recovered`,
        120_000,
      )
      const killed = workers.splice(Math.floor(Math.random() * workers.length), 1)
      killed[0]?.child.kill('SIGKILL')
      workers.push(startWorker())
    }
    await until(async () => (await progress(recovery.id)) === 1, 'it is completed', 120_000)
    await until(async () => (await pending()) === 0, 'everything is delivered', 240_000)

    expect(await read(recovery.id)).toMatchObject({
      state: 'COMPLETED',
      redelivered: COUNT / 2,
      created: COUNT / 2,
    })
    const { rows } = await pool.query<{ event: string; id: string; number: number }>(
      `select event_id as event, posthorn.type_id('msg', id) as id, attempt_count as number
       from posthorn.deliveries where webhook_id = $1 and state = 'succeeded'`,
      [parseId('webhook', webhookId)],
    )
    expect(rows.map(({ event }) => event).sort()).toEqual([...failed, ...missed])
    const arrived = new Set(receiver.received.map(({ headers }) => headers['wh-id']))
    expect(rows.filter(({ id }) => !arrived.has(id))).toEqual([])
    expect(arrived.size).toBe(COUNT)
    expect(memory.most()).toBeLessThan(MOST_MEGABYTES)
    await until(async () => (await recoveryJobs()) === 0, 'no job of it is left')
  } finally {
    memory[Symbol.dispose]()
    await Promise.all(workers.map((worker) => worker[Symbol.asyncDispose]()))
  }
}, 600_000)

test('SIGTERM in the middle of a recovery ends the worker at once, and the next goes on', async () => {
  const webhookId = await register()
  await addEvents(api.database.pool, api.tenant.organizationId, {
    at: new Date(at.getTime() + 3_600_000),
    count: 400,
  })
  const first = startWorker()
  const recovery = await recover(webhookId, { since: new Date(at.getTime() + 3_600_000), rate: 50 })
  await until(async () => (await progress(recovery.id)) > 0, 'it has begun')
  const asked = performance.now()
  first.child.kill('SIGTERM')
  expect(await first.ended).toBe(0)
  // Well before the attempts in flight would be requeued.
  expect(performance.now() - asked).toBeLessThan(6_000)
  const before = await progress(recovery.id)
  expect(before).toBeLessThan(1)
  await using _next = startWorker()
  await until(async () => (await progress(recovery.id)) > before, 'the next goes on')
  await until(async () => (await progress(recovery.id)) === 1, 'it is completed', 30_000)
  expect(await read(recovery.id)).toMatchObject({ state: 'COMPLETED', created: 400 })
}, 90_000)

function startWorker(): PosthornProcess {
  return startPosthorn(['start', '--role', 'worker'], {
    environment: {
      ...testEnvironment(api.database.url),
      POSTHORN_CONCURRENCY: '50',
      POSTHORN_EGRESS_CA_FILE: path.join(directory, 'ca.pem'),
    },
  })
}

async function register(): Promise<string> {
  const response = await api.rest('POST', '/webhooks', {
    url: receiver.url,
    event_subscriptions: [JOINED],
    enabled: true,
  })
  return (await response.json()).id
}

async function recover(webhookId: string, { since = at, rate = RATE_PER_SECOND } = {}) {
  const input = { webhookId, since, ratePerSecond: rate }
  const data = await api.graphql(document('recoveries', 'RecoverDeliveries'), { input })
  return data.recoverDeliveries.recovery
}

async function read(id: string) {
  return (await api.graphql(document('recoveries', 'Recovery'), { id })).recovery
}

async function progress(id: string): Promise<number> {
  const { state, redelivered, created, total } = await read(id)
  expect(['RUNNING', 'COMPLETED']).toContain(state)
  return state === 'COMPLETED' ? 1 : Math.min(0.999, (redelivered + created) / total)
}

async function pending(): Promise<number> {
  const { rows } = await api.database.pool.query(
    `select count(*)::int as n from posthorn.deliveries where state = 'pending'`,
  )
  return rows[0].n
}

async function recoveryJobs(): Promise<number> {
  const { rows } = await api.database.pool.query(
    `select count(*)::int as n from graphile_worker.jobs where task_identifier = 'posthorn:recover_deliveries'`,
  )
  return rows[0].n
}

/** The most resident memory that any of the workers had; where there is no /proc, none is seen. */
function watchMemory(workers: readonly PosthornProcess[]) {
  let most = 0
  const timer = setInterval(() => {
    for (const { child } of workers) {
      try {
        const status = readFileSync(`/proc/${child.pid}/status`, 'utf8')
        most = Math.max(most, Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1_024)
      } catch {
        // It has ended.
      }
    }
  }, 100)
  return { most: () => most, [Symbol.dispose]: () => clearInterval(timer) }
}
