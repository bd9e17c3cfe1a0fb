import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Role } from '../../src/config/settings.ts'
import { openFullReceiver } from '../outbound/raw-receivers.ts'
import { startTestApp, type TestApp } from '../support/app.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { until } from '../support/until.ts'
import { createWebhook, publish } from './support/backlog.ts'

let receiver: Receiver
/** Accepts no connection, on any loopback address. */
let full: { port: number }
let posthorn: TestApp

beforeEach(async () => {
  receiver = await startReceiver()
  full = await openFullReceiver({ host: '0.0.0.0' })
})
afterEach(async () => {
  await posthorn[Symbol.asyncDispose]()
  await receiver[Symbol.asyncDispose]()
})

async function start(role?: Role): Promise<void> {
  posthorn = await startTestApp({
    trustedAuthorities: [receiver.authority],
    environment: { POSTHORN_RETRY_SCHEDULE: '1h' },
    ...(role && { role }),
  })
}

/** Each at its own host, so that only the organization is common to them. */
async function createDead(count: number, maxInFlight?: number): Promise<void> {
  for (let i = 0; i < count; i++) {
    const host = `127.0.${1 + (i >> 7)}.${1 + (i & 127)}`
    await createWebhook(posthorn, `https://${host}:${full.port}/`, {
      ...(maxInFlight && { maxInFlight }),
    })
  }
}

async function createHealthy(count: number): Promise<void> {
  for (let i = 0; i < count; i++) await createWebhook(posthorn, `${receiver.url}${i}`)
}

const publishOnce = (events = 1) =>
  publish(posthorn.database.pool, posthorn.tenant.publicOrganizationId, events)

interface Attempts {
  readonly healthy: number
  readonly timedOut: number
  readonly otherFailures: number
}

async function readAttempts(): Promise<Attempts> {
  const { rows } = await posthorn.database.pool.query(`
    select count(*) filter (where status = 200)::int as healthy,
      count(*) filter (where error_code = 'connect_timed_out')::int as "timedOut",
      count(*) filter (where status is distinct from 200 and error_code <> 'connect_timed_out')::int as "otherFailures"
    from posthorn.attempts`)
  return rows[0]
}

/** All healthy deliveries arrive before the first dead one fails. */
async function expectHealthy(count: number): Promise<void> {
  await until(() => receiver.received.length === count, 'the healthy ones arrive')
  expect((await readAttempts()).timedOut, 'they arrive before a dead one fails').toBe(0)
  await until(async () => (await readAttempts()).healthy === count, 'they are recorded')
}

/** The dead ones fail, as connect time-outs. No attempt fails that sent nothing. */
async function expectTimeouts(count: number): Promise<void> {
  await until(async () => (await readAttempts()).timedOut >= count, 'the dead ones fail', 30_000)
  expect((await readAttempts()).otherFailures).toBe(0)
}

test('a dead webhook with 250 events and 200 attempts in flight does not delay a healthy one', async () => {
  await start()
  await createDead(1, 200)
  await publishOnce(250)
  await createHealthy(1)
  for (let event = 0; event < 3; event++) await publishOnce()
  await expectHealthy(3)
  await expectTimeouts(100)
})

test('after a start, 80 dead webhooks do not delay 10 healthy ones', async () => {
  await start('api')
  await createDead(80)
  await createHealthy(10)
  await publishOnce()
  const { database } = posthorn
  await using _worker = await startTestApp({
    database,
    role: 'worker',
    trustedAuthorities: [receiver.authority],
    environment: { POSTHORN_RETRY_SCHEDULE: '1h' },
  })
  await expectHealthy(10)
  await expectTimeouts(80)
})
