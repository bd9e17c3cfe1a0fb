import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parseId } from '../../src/ids.ts'
import { startTestApp, type TestApp, testEnvironment } from '../support/app.ts'
import { JOINED } from '../support/factories.ts'
import { type PosthornProcess, startPosthorn } from '../support/posthorn-process.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { until } from '../support/until.ts'

let receiver: Receiver
let api: TestApp
let directory: string

beforeAll(async () => {
  receiver = await startReceiver()
  directory = await mkdtemp(path.join(tmpdir(), 'posthorn crash '))
  await writeFile(path.join(directory, 'ca.pem'), receiver.authority)
  api = await startTestApp({ role: 'api' })
})
afterAll(async () => {
  await api[Symbol.asyncDispose]()
  await receiver[Symbol.asyncDispose]()
  await rm(directory, { recursive: true, force: true })
})

test('kill -9 between sending and recording: the delivery is repeated within 15 s, and nothing is lost', async () => {
  const webhook = await register()
  // It has the request and never answers, so the kill falls between sending and recording.
  receiver.answer = () => {}
  const doomed = startWorker()
  const count = 50
  await publish(count)
  await until(() => receiver.received.length >= 10, 'requests are in flight')
  doomed.child.kill('SIGKILL')
  await doomed.ended
  const killedAt = Date.now()
  const inFlight = new Set(receiver.received.map((arrived) => arrived.headers['wh-id']))

  receiver.forget()
  receiver.answer = (response) => response.end()
  await using _next = startWorker()
  await until(
    async () => (await stateCounts())['succeeded'] === count,
    'every delivery succeeds',
    20_000,
  )
  expect(Date.now() - killedAt).toBeLessThan(15_000)

  const arrived = receiver.received.map((request) => request.headers['wh-id'])
  expect(new Set(arrived).size).toBe(count)
  for (const id of inFlight) expect(arrived).toContain(id)
  await until(async () => (await jobCount()) === 0, 'no job is left')
  await api.rest('DELETE', `/webhooks/${webhook}`)
}, 60_000)

test('SIGTERM finishes what is in flight, and ends with exit code 0', async () => {
  await register()
  receiver.forget()
  receiver.answer = (response) => setTimeout(() => response.end(), 500)
  const worker = startWorker()
  await publish(5)
  await receiver.arrival(5)
  worker.child.kill('SIGTERM')
  expect(await worker.ended).toBe(0)
  expect((await stateCounts())['succeeded']).toBe(55)
  expect(await jobCount()).toBe(0)
}, 60_000)

test('SIGTERM unclaims the delivery that a hanging receiver holds, and uses up no attempt', async () => {
  receiver.forget()
  receiver.answer = () => {}
  const worker = startWorker()
  await publish(1)
  await receiver.arrival(1)
  worker.child.kill('SIGTERM')
  expect(await worker.ended).toBe(0)
  const { rows } = await api.database.pool.query(
    `select attempt_count from posthorn.deliveries where state = 'pending'`,
  )
  expect(rows).toEqual([{ attempt_count: 0 }])
  const { rows: jobs } = await api.database.pool.query(
    `select locked_at from graphile_worker.jobs where task_identifier = 'posthorn:deliver'`,
  )
  expect(jobs).toEqual([{ locked_at: null }])
}, 60_000)

test('a delivery unclaimed at SIGTERM goes out with the next process at once, and one that ended in time was sent once', async () => {
  await settle()
  // Every other request is answered after a second, the others never by the process that is ended.
  const slow = new Set<unknown>()
  receiver.answer = (response, { headers }) => {
    if (receiver.received.length % 2 === 0) setTimeout(() => response.end(), 1_000)
    else if (slow.has(headers['wh-id'])) response.end()
    else slow.add(headers['wh-id'])
  }
  const worker = startWorker()
  await publish(6)
  await receiver.arrival(6)
  worker.child.kill('SIGTERM')
  await sleep(1_500)
  // The second signal: it does not wait for the rest.
  const hurriedAt = performance.now()
  worker.child.kill('SIGTERM')
  expect(await worker.ended).toBe(0)
  expect(performance.now() - hurriedAt).toBeLessThan(5_000)
  expect(worker.stderr).not.toMatch(/"level":"(error|fatal)"/)
  receiver.answer = (response) => response.end()

  await using _next = startWorker()
  await until(async () => (await jobCount()) === 0, 'nothing is left')
  const counts = Map.groupBy(receiver.received, ({ headers }) => headers['wh-id'])
  expect([...counts.values()].map(({ length }) => length).sort()).toEqual([1, 1, 1, 2, 2, 2])
  const { rows } = await api.database.pool.query(
    'select distinct attempt_count from posthorn.deliveries where id = any ($1)',
    [[...counts.keys()].map((id) => parseId('delivery', String(id)))],
  )
  expect(rows).toEqual([{ attempt_count: 1 }])
}, 60_000)

/** Lets everything that earlier tests left be delivered. */
async function settle(): Promise<void> {
  receiver.answer = (response) => response.end()
  await using _worker = startWorker()
  await until(async () => (await jobCount()) === 0, 'nothing is left')
  receiver.forget()
}

function startWorker(): PosthornProcess {
  return startPosthorn(['start', '--role', 'worker'], {
    environment: {
      ...testEnvironment(api.database.url),
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

async function publish(count: number): Promise<void> {
  const events = Array.from({ length: count }, (_, n) => ({ type: JOINED, data: { n } }))
  await api.app.services.publishEvents(api.tenant.organizationId, events)
}

async function stateCounts(): Promise<Record<string, number>> {
  const { rows } = await api.database.pool.query(
    'select state, count(*)::int as n from posthorn.deliveries group by 1',
  )
  return Object.fromEntries(rows.map((row) => [row.state, row.n]))
}

async function jobCount(): Promise<number> {
  const { rows } = await api.database.pool.query(
    `select count(*)::int as n from graphile_worker.jobs where task_identifier = 'posthorn:deliver'`,
  )
  return rows[0].n
}
