import { readFileSync } from 'node:fs'
import { beforeAll, expect, test } from 'vitest'
import { parseId } from '../../src/db/ids.ts'
import { document } from '../graphql/support/document.ts'
import { createWebhook } from '../scheduling/support/backlog.ts'
import { countRows } from '../support/count-rows.ts'
import type { PosthornProcess } from '../support/posthorn-process.ts'
import { startStopwatch } from '../support/stopwatch.ts'
import { until } from '../support/until.ts'
import { useResource } from '../support/use-resource.ts'
import { addEvents, createPartitionsOfRetention } from './rows.ts'
import { openWorkerProcesses } from './worker-processes.ts'

/** Missed events. `RECOVERED=100000` makes a long run. */
const COUNT = Number(process.env['RECOVERED'] ?? 4_000)
const RATE_PER_SECOND = 2_000
const KILLS = 3

/** An idle worker uses about 170 MB. Attempts in flight use the rest. */
const MAX_MEGABYTES = 400

const at = new Date(Date.now() - 86_400_000)

const processes = await useResource(openWorkerProcesses({ POSTHORN_CONCURRENCY: '50' }))
const { api, receiver } = processes

beforeAll(() => createPartitionsOfRetention(api.database.pool))

test(`${COUNT} deliveries are recovered once each while workers are killed at random, with bounded memory`, async () => {
  const webhookId = await createWebhook(api, receiver.url)
  const { pool } = api.database
  const { organizationId } = api.tenant
  const missed = await addEvents(pool, organizationId, { at, count: COUNT })
  // Autovacuum would analyze the tables too late for the test.
  await pool.query('analyze')

  processes.start()
  processes.start()
  const memory = watchMemory(processes.running)
  try {
    const recovery = await recover(webhookId)
    expect(recovery.total).toBe(COUNT)
    await processes.killAtRandom(KILLS, async (part) => (await progress(recovery.id)) >= part)
    await until(async () => (await progress(recovery.id)) === 1, 'everything is queued', 120_000)
    await until(async () => (await pending()) === 0, 'everything is delivered', 240_000)

    expect(await read(recovery.id)).toMatchObject({ state: 'COMPLETED', changed: COUNT })
    const { rows } = await pool.query<{ event: string; id: string; number: number }>(
      `select event_id as event, posthorn.type_id('msg', id) as id, attempt_count as number
       from posthorn.deliveries where webhook_id = $1 and state = 'succeeded'`,
      [parseId('webhook', webhookId)],
    )
    expect(rows.map(({ event }) => event).sort()).toEqual(missed)
    const arrived = new Set(receiver.received.map(({ headers }) => headers['wh-id']))
    expect(rows.filter(({ id }) => !arrived.has(id))).toEqual([])
    expect(arrived.size).toBe(COUNT)
    expect(memory.maxMb()).toBeLessThan(MAX_MEGABYTES)
    await until(async () => (await recoveryJobs()) === 0, 'no recovery job is left')
  } finally {
    memory[Symbol.dispose]()
    await processes.stop()
  }
}, 600_000)

test('SIGTERM during a recovery stops the worker at once, and the next worker continues the recovery', async () => {
  const webhookId = await createWebhook(api, receiver.url)
  const since = new Date(at.getTime() + 3_600_000)
  await addEvents(api.database.pool, api.tenant.organizationId, { at: since, count: 400 })
  const first = processes.start()
  const recovery = await recover(webhookId, { since, rate: 50 })
  await until(async () => (await progress(recovery.id)) > 0, 'the recovery has started')
  const signaledFor = startStopwatch()
  first.child.kill('SIGTERM')
  expect(await first.ended).toBe(0)
  // Less than the grace period for attempts in flight.
  expect(signaledFor.readMs()).toBeLessThan(6_000)
  const before = await progress(recovery.id)
  expect(before).toBeLessThan(1)
  await using _next = processes.start()
  await until(async () => (await progress(recovery.id)) > before, 'the next worker continues')
  await until(async () => (await progress(recovery.id)) === 1, 'everything is queued', 30_000)
  expect(await read(recovery.id)).toMatchObject({ changed: 400 })
})

async function recover(webhookId: string, { since = at, rate = RATE_PER_SECOND } = {}) {
  const input = { missed: { webhookId, since }, ratePerSecond: rate }
  const data = await api.graphql(document('bulk-tasks', 'RedeliverInBackground'), { input })
  return data.redeliver.task
}

async function read(id: string) {
  return (await api.graphql(document('bulk-tasks', 'BulkTask'), { id })).bulkTask
}

/** The part that is queued. */
async function progress(id: string): Promise<number> {
  const { state, changed, total } = await read(id)
  expect(['RUNNING', 'COMPLETED']).toContain(state)
  return state === 'RUNNING' ? Math.min(0.999, changed / total) : 1
}

const pending = () => countRows(api.database.pool, `posthorn.deliveries where state = 'pending'`)

const recoveryJobs = () =>
  countRows(
    api.database.pool,
    `graphile_worker.jobs where task_identifier = 'posthorn:continue_bulk_task'`,
  )

/** The largest resident memory of the workers so far. Without /proc, 0. */
function watchMemory(workers: readonly PosthornProcess[]) {
  let maxMb = 0
  const timer = setInterval(() => {
    for (const { child } of workers) {
      try {
        const status = readFileSync(`/proc/${child.pid}/status`, 'utf8')
        maxMb = Math.max(maxMb, Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1_024)
      } catch {
        // The process has ended.
      }
    }
  }, 100)
  return { maxMb: () => maxMb, [Symbol.dispose]: () => clearInterval(timer) }
}
