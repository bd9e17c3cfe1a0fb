import { expect, test } from 'vitest'
import { INITIAL_LIMIT } from '../../src/scheduling/limited-webhook.ts'
import { subscribe as listen } from '../graphql/support/live.ts'
import { startTestApp } from '../support/app.ts'
import { countRows } from '../support/count-rows.ts'
import { openTransaction } from '../support/transaction.ts'
import { until } from '../support/until.ts'
import { createWebhook, numberOf, useApp } from './support/backlog.ts'

const SECOND = 1_000
const EVENTS = 2 * INITIAL_LIMIT

let webhookId: string

const environment = { POSTHORN_RETRY_SCHEDULE: '5s,1h,1h' }

const app = await useApp({ environment })
const { receiver, posthorn, released, pass, parked, states, publish, untilSucceeded } = app

const HEALTH_CHANGES = 'subscription { webhookHealthChanged { state } }'

function reject(status: number, retryAfter: string | null): void {
  const headers = retryAfter === null ? {} : { 'retry-after': retryAfter }
  receiver.answer = (response) => response.writeHead(status, headers).end()
}

function recover(): void {
  receiver.answer = (response) => response.end()
}

/** Creates the webhook of the test. */
async function subscribe(options?: object) {
  webhookId = await createWebhook(posthorn, receiver.url, options)
}

const health = () => app.health(webhookId)

const isOnHold = async () => (await health()).state === 'ON_HOLD'

/** A release of all backlogs sends nothing to the webhook. */
async function staysQuiet(requests: number): Promise<void> {
  await released()
  expect(receiver.received).toHaveLength(requests)
}

/** Rejects the first delivery with `Retry-After`, so that the webhook is on hold. */
async function putOnHold(retryAfter: string): Promise<void> {
  reject(429, retryAfter)
  await publish(1)
  await until(isOnHold, 'the webhook is on hold')
  await until(async () => (await health()).consecutiveFailures === 1, 'the attempt is recorded')
}

/** Those with an answer: where a busy machine has no time for a connection, the delivery is retried, and so parked. */
const failedAttempts = () =>
  countRows(posthorn.database.pool, 'posthorn.attempts where not succeeded and status is not null')

/** The backends in which a hold waits for a lock. */
async function waitingHolds(): Promise<number[]> {
  const { rows } = await posthorn.database.pool.query(
    `select pid from pg_stat_activity
     where datname = current_database() and wait_event_type = 'Lock' and query like '%asked.wait_ms%'`,
  )
  return rows.map(({ pid }) => pid)
}

async function nextProbeInSeconds(): Promise<number> {
  return (Date.parse((await health()).nextProbeAt) - Date.now()) / SECOND
}

test('many events to an endpoint that asks to wait make only the requests in flight, and the others follow slowly', async () => {
  await subscribe()
  reject(503, '30.0')
  await publish(EVENTS)
  await until(isOnHold, 'the webhook is on hold')
  const requests = () => receiver.received.length
  await until(
    async () => (await failedAttempts()) === requests() && (await parked()) + requests() === EVENTS,
    'what was not in flight is parked',
  )
  const inFlight = requests()
  expect(inFlight).toBeLessThanOrEqual(INITIAL_LIMIT)
  const { onHoldReason, onHoldSince, nextProbeAt } = await health()
  expect(onHoldReason).toBe('RETRY_AFTER')
  expect(Date.parse(nextProbeAt) - Date.parse(onHoldSince)).toBeGreaterThanOrEqual(30 * SECOND)
  // With jitter, from the last answer on, which comes late on a busy machine.
  expect(await nextProbeInSeconds()).toBeLessThanOrEqual(33)
  await staysQuiet(inFlight)
  recover()
  const endedAt = performance.now()
  await pass(36)
  await untilSucceeded(EVENTS - inFlight, 20_000)
  // The first second releases ten.
  expect(performance.now() - endedAt).toBeGreaterThan(SECOND)
  expect(await health()).toMatchObject({ onHoldReason: null, nextProbeAt: null })
})

test.each([
  [429, null],
  [500, '30'],
])('%i with Retry-After: %s holds nothing', async (status, retryAfter) => {
  const { pool } = posthorn.database
  await subscribe({ retryScheduleSeconds: [20] })
  reject(status, retryAfter)
  await publish(1)
  await until(async () => (await failedAttempts()) === 1, 'it fails')
  recover()
  await publish(5, 1)
  await untilSucceeded(5)
  expect((await health()).onHoldReason).toBeNull()
  const delayed = `posthorn.deliveries where state = 'pending' and next_attempt_at > now() + interval '9 seconds'`
  expect(await countRows(pool, delayed)).toBe(1)
})

test('a later answer makes the wait longer, and never shorter', async () => {
  await subscribe()
  const answers: (() => void)[] = []
  receiver.answer = (response, request) => {
    const retryAfter = ['60', '600', '5'][numberOf(request)] as string
    answers[numberOf(request)] = () => response.writeHead(429, { 'retry-after': retryAfter }).end()
  }
  await publish(3)
  await receiver.arrival(3)
  answers[0]?.()
  await until(isOnHold, 'the webhook is on hold')
  expect(await nextProbeInSeconds()).toBeLessThan(70)
  answers[1]?.()
  await until(async () => (await nextProbeInSeconds()) > 590, 'the wait is longer')
  answers[2]?.()
  await until(async () => (await failedAttempts()) === 3, 'all are recorded')
  expect(await nextProbeInSeconds()).toBeGreaterThan(590)
})

test('an attempt in flight ends normally, and its success does not end the hold', async () => {
  await subscribe()
  let answer = () => {}
  receiver.answer = (response, request) => {
    if (numberOf(request) === 0) answer = () => response.end()
    else response.writeHead(503, { 'retry-after': '30' }).end()
  }
  await publish(1)
  await receiver.arrival(1)
  await publish(1, 1)
  await until(isOnHold, 'the webhook is on hold')
  answer()
  await untilSucceeded(1)
  expect(await isOnHold()).toBe(true)
})

test('the first delivery after the wait puts the webhook on hold again if it gets 429 again', async () => {
  await subscribe()
  await putOnHold('30')
  await publish(30, 1)
  reject(429, '300')
  await pass(34)
  await until(async () => (await nextProbeInSeconds()) > 290, 'the endpoint asks to wait again')
  expect(receiver.received.length).toBeLessThanOrEqual(11)
  await staysQuiet(receiver.received.length)
})

test('a hold without deliveries ends at its time, and subscribers learn of it', async () => {
  await subscribe()
  using changes = await listen(posthorn.app.url, posthorn.tenant.token, HEALTH_CHANGES)
  await putOnHold('3600')
  const states = () => changes.results.map(({ data }) => data.webhookHealthChanged.state)
  await until(() => states().includes('ON_HOLD'), 'subscribers learn of the hold')
  const before = states().length
  await pass(3_960)
  await until(async () => !(await isOnHold()), 'the hold ends')
  expect(await health()).toMatchObject({ nextProbeAt: null, consecutiveFailures: 1 })
  await until(() => states().slice(before).includes('FAILING'), 'subscribers learn of its end')
  const { rows } = await posthorn.database.pool.query(
    'select ended_at is not null as "hasEnded" from posthorn.webhook_holds',
  )
  expect(rows.every(({ hasEnded }) => hasEnded)).toBe(true)
})

test('Retry-After of an answer that could not be stored at first holds all the same', async () => {
  const { pool } = posthorn.database
  await subscribe({ retryScheduleSeconds: [3_600] })
  reject(429, '60')
  {
    using edit = await openTransaction(pool)
    await edit.query('select from posthorn.webhooks for no key update')
    await publish(1)
    await until(async () => (await waitingHolds()).length === 1, 'the hold waits for the lock')
    const [waiting] = await waitingHolds()
    await pool.query('select pg_terminate_backend($1)', [waiting])
    await until(async () => !(await waitingHolds()).includes(waiting as number), 'it is stopped')
  }
  await until(isOnHold, 'the webhook is on hold')
})

test('an endpoint that keeps asking to wait opens the circuit breaker, which never probes before the time that it asks for', async () => {
  await subscribe()
  // After the first answer, nothing else is sent. So none is given before ten requests are in flight.
  const answers: (() => void)[] = []
  receiver.answer = (response) =>
    void answers.push(() => response.writeHead(429, { 'retry-after': '300' }).end())
  await publish(20)
  await receiver.arrival(10)
  reject(429, '300')
  for (const answer of answers) answer()
  await until(async () => (await health()).consecutiveFailures >= 10, 'ten fail')
  await until(isOnHold, 'the webhook is on hold')
  await publish(1, 20)
  // The answer to a request that is still in flight asks to wait again, from the time at which it comes.
  const isQuiet = async () => (await failedAttempts()) + (await parked()) === 21
  await until(isQuiet, 'every answer is recorded, and the others are parked')
  const inFlight = receiver.received.length
  await staysQuiet(inFlight)
  await pass(340)
  await receiver.arrival(inFlight + 1)
  await until(async () => (await health()).onHoldReason === 'FAILING', 'the circuit breaker opens')
  await until(async () => (await nextProbeInSeconds()) > 290, 'the next probe is as asked')
})

test('the head of an ordered webhook stays the head, and its retry comes no earlier', async () => {
  const { pool } = posthorn.database
  await subscribe({ ordered: true, retryScheduleSeconds: [3_600] })
  reject(503, '5')
  await publish(3)
  await receiver.arrival(1)
  await until(isOnHold, 'the webhook is on hold')
  recover()
  await pass(60)
  await until(async () => !(await isOnHold()), 'the hold ends')
  await staysQuiet(1)
  await pool.query(
    `select graphile_worker.reschedule_jobs(array(
       select id from graphile_worker.jobs where task_identifier = 'posthorn:deliver'), run_at := now())`,
  )
  await untilSucceeded(3)
  expect(receiver.received.map(numberOf)).toEqual([0, 0, 1, 2])
})

test('a process that starts during the hold, which an exhausted delivery began, sends nothing before its end', async () => {
  const { database } = posthorn
  await subscribe({ retryScheduleSeconds: [] })
  await putOnHold('30')
  expect(await states()).toEqual({ exhausted: 1 })
  await publish(5, 1)
  await posthorn.app[Symbol.asyncDispose]()
  const trustedAuthorities = [receiver.authority]
  const settings = { trustedAuthorities, environment, database }
  await using restarted = await startTestApp(settings)
  await released(restarted)
  expect(receiver.received).toHaveLength(1)
  recover()
  await pass(34)
  await untilSucceeded(5)
})

test('an answer that arrives while an edit of the URL is committed does not hold the new endpoint', async () => {
  const { pool } = posthorn.database
  await subscribe()
  reject(429, '3600')
  using edit = await openTransaction(pool)
  await edit.query('update posthorn.webhooks set url = $1, revision = revision + 1', [
    `${receiver.url}new`,
  ])
  await publish(1)
  await until(
    async () => (await waitingHolds()).length === 1 || (await isOnHold()),
    'the hold waits for the edit',
  )
  await edit.query('commit')
  await until(async () => (await waitingHolds()).length === 0, 'the hold is decided')
  await until(async () => (await failedAttempts()) === 1, 'the attempt is recorded')
  expect((await health()).onHoldReason).toBeNull()
})
