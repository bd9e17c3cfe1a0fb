import { readFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Delivery } from '../../src/db/generated/prisma/client.ts'
import { publicId } from '../../src/db/ids.ts'
import { reopenRescheduled } from '../../src/deliveries/attempts/delivery-jobs.ts'
import { sweep } from '../../src/deliveries/sweep.ts'
import { createWebhook } from '../scheduling/support/backlog.ts'
import { useTestApp } from '../support/app.ts'
import { JOINED } from '../support/factories.ts'
import { deliveryJobs, type JobRow } from '../support/jobs.ts'
import { startReceiver } from '../support/receiver.ts'
import { until } from '../support/until.ts'
import { useResource } from '../support/use-resource.ts'

/* An operator changes jobs as docs/operate/monitor.md says, while a worker runs. */
const RETRIES = 2
const HOUR_MS = 3_600_000

const PAGE = readFileSync('docs/operate/monitor.md', 'utf8')
/** The actions of the page: what each calls, with `id` and `key` of the job. */
const ACTIONS = new Map(
  [...PAGE.matchAll(/^\| ([a-z ]+) \| `([a-z_]+\(.+?\))` \|/gm)].map(([, name = '', call = '']) => [
    name,
    call,
  ]),
)

const LATER = `now() + interval '7 hours'`
const REASON = 'the reason'

/** Calls what the page prints for an action on the job with a key. Returns the number of changed jobs. */
async function act(action: string, { key }: Pick<JobRow, 'key'>): Promise<number | null> {
  const call = ACTIONS.get(action)?.replace('…', LATER)
  if (!call) throw new Error(`The page has no action "${action}".`)
  return await callFunction(call, key)
}

async function callFunction(call: string, key: string | null): Promise<number | null> {
  const { rowCount } = await query(
    `select acted.id from graphile_worker.jobs as job, lateral graphile_worker.${call} as acted where job.key = $1`,
    [key],
  )
  return rowCount
}

let webhook: string

const receiver = await useResource(startReceiver())
const posthorn = await useTestApp({
  trustedAuthorities: [receiver.authority],
  environment: { POSTHORN_RETRY_SCHEDULE: '1h,1h' },
})
const query = (text: string, values: unknown[] = []) => posthorn.database.pool.query(text, values)

beforeEach(async () => {
  webhook = await createWebhook(posthorn, receiver.url)
})
afterEach(async () => {
  await posthorn.rest('DELETE', `/webhooks/${webhook}`)
  await until(async () => (await pending()) === 0, 'nothing is pending')
  await query(`select graphile_worker.complete_jobs(array(
    select id from graphile_worker.jobs where task_identifier = 'posthorn:deliver'))`)
  receiver.clear()
})

describe('a retrying delivery', () => {
  test('run now makes an attempt now', async () => {
    const { delivery, job } = await failedOnce()
    answer(200)
    expect(await act('run now', job)).toBe(1)
    await untilState(delivery, 'succeeded')
    expect(receiver.received.map(({ headers }) => headers['wh-id'])).toEqual([job.key, job.key])
    await until(
      async () => (await deliveryJobs(posthorn.database.pool)).length === 0,
      'no job is left',
    )
  })

  test('reschedule changes the time of its next attempt', async () => {
    const { delivery, job } = await failedOnce()
    expect(await act('reschedule', job)).toBe(1)
    const later = await jobOf(delivery)
    expect(later).toMatchObject({ id: job.id, attempts: 1, maxAttempts: RETRIES + 1 })
    expect(Number(later?.runAt)).toBeGreaterThan(Date.now() + 6.9 * HOUR_MS)
  })

  test('fail permanently cancels it with the reason, and no attempt follows', async () => {
    const { delivery, job } = await failedOnce()
    expect(await act('fail permanently', job)).toBe(1)
    expect(await operatorSweep()).toEqual({ restored: [], canceled: [job.key] })
    expect(await read(delivery)).toMatchObject({ state: 'canceled', lastError: REASON })
    expect(await jobOf(delivery)).toMatchObject({ lastError: REASON })
    await act('run now', job)
    expect(await reopen()).toEqual([])
    expect(await read(delivery)).toMatchObject({ state: 'canceled' })
    await callFunction('reschedule_jobs(array[id], run_at := now(), attempts := 0)', job.key)
    await until(async () => (await jobOf(delivery)) === undefined, 'the job has run')
    expect(receiver.received).toHaveLength(1)
  })

  test.each(['complete', 'delete'])('%s loses nothing: its job is restored', async (action) => {
    const { delivery, job } = await failedOnce()
    expect(await act(action, job)).toBe(1)
    expect(await jobOf(delivery)).toBeUndefined()
    expect(await operatorSweep()).toEqual({ restored: [job.key], canceled: [] })
    const { runAt, attempts, maxAttempts, lastError } = job
    expect(await jobOf(delivery)).toMatchObject({ runAt, attempts, maxAttempts, lastError })
  })

  test('the statement that cancels instead of deleting cancels it', async () => {
    const { delivery, job } = await failedOnce()
    const [, statement = ''] = /To cancel a delivery:\n\n```sql\n(.*?)```/s.exec(PAGE) ?? []
    const { rows } = await query(statement.replace(/msg_[a-z0-9]+/, job.key as string))
    expect(rows).toEqual([{ key: job.key, last_error: 'Asked for by the customer' }])
    expect(await operatorSweep()).toEqual({ restored: [], canceled: [job.key] })
    expect(await read(delivery)).toMatchObject({ lastError: 'Asked for by the customer' })
  })

  test('run now parks it while its webhook is disabled, without an attempt', async () => {
    const { delivery, job } = await failedOnce()
    await posthorn.rest('PUT', `/webhooks/${webhook}`, { enabled: false })
    await act('run now', job)
    await until(async () => (await read(delivery)).parkedAt !== null, 'the delivery is parked')
    expect(await read(delivery)).toMatchObject({ state: 'pending', attemptCount: 1 })
    // A job ends after the statement that parks its delivery.
    await until(async () => (await jobOf(delivery)) === undefined, 'its job is gone')
    expect(await act('run now', job)).toBe(0)
    expect(await act('fail permanently', job)).toBe(0)
    expect(await operatorSweep()).toEqual({ restored: [], canceled: [] })
    answer(200)
    await posthorn.rest('PUT', `/webhooks/${webhook}`, { enabled: true })
    await untilState(delivery, 'succeeded')
  })
})

test('a delivery whose worker died with it four times fails without a request', async () => {
  const { delivery, job } = await failedOnce()
  await query('update posthorn.deliveries set worker_deaths = 4 where id = $1', [delivery.id])
  receiver.clear()
  await act('run now', job)
  await until(async () => (await read(delivery)).attemptCount === 2, 'the attempt is recorded')
  expect(receiver.received).toEqual([])
})

describe('an exhausted delivery', () => {
  test.each([
    'reschedule_jobs(array[id], run_at := now(), attempts := 0)',
    'reschedule_jobs(array[id], max_attempts := 9)',
    ACTIONS.get('run now') ?? '',
  ])('starts its schedule again by %s', async (call) => {
    const { delivery, job } = await exhausted()
    expect(job).toMatchObject({ attempts: 3, maxAttempts: 3 })
    expect(await callFunction(call, job.key)).toBe(1)
    await reopen()
    await until(
      async () => (await read(delivery)).attemptCount === 4,
      'the delivery is attempted again',
    )
    await until(async () => (await jobOf(delivery))?.attempts === 4, 'its job has the attempt')
    expect(await jobOf(delivery)).toMatchObject({ maxAttempts: 3 + RETRIES + 1 })
    expect(await read(delivery)).toMatchObject({ state: 'pending', schedulePosition: 1 })
    expect(await operatorSweep()).toEqual({ restored: [], canceled: [] })
  })

  test('fail permanently changes only the error of its job; run now starts it again', async () => {
    const { delivery, job } = await exhausted()
    expect(await act('fail permanently', job)).toBe(1)
    expect(await reopen()).toEqual([])
    expect(await operatorSweep()).toEqual({ restored: [], canceled: [] })
    expect(await jobOf(delivery)).toMatchObject({ lastError: REASON })
    const { state, lastError } = await read(delivery)
    expect({ state, lastError }).toEqual({
      state: 'exhausted',
      lastError: expect.stringContaining('503'),
    })
    answer(200)
    await act('run now', job)
    await reopen()
    await untilState(delivery, 'succeeded')
  })

  test.each(['complete', 'delete'])('%s removes its job for good', async (action) => {
    const { delivery, job } = await exhausted()
    expect(await act(action, job)).toBe(1)
    expect(await operatorSweep()).toEqual({ restored: [], canceled: [] })
    expect(await jobOf(delivery)).toBeUndefined()
    expect(await read(delivery)).toMatchObject({ state: 'exhausted' })
  })
})

describe('a running delivery', () => {
  test('run now, reschedule, fail permanently and complete skip its job', async () => {
    const { delivery, job, finish } = await running()
    for (const action of ['run now', 'reschedule', 'fail permanently', 'complete']) {
      expect(await act(action, job)).toBe(0)
      expect(await jobOf(delivery)).toEqual(job)
    }
    finish()
    await untilState(delivery, 'succeeded')
    await until(async () => (await jobOf(delivery)) === undefined, 'its job is gone')
    expect(receiver.received).toHaveLength(1)
  })

  test('delete takes the key from its job, and changes nothing else', async () => {
    const { delivery, job, finish } = await running()
    await act('delete', job)
    finish(503)
    await until(async () => (await jobOf(delivery))?.attempts === 1, 'its job has the attempt')
    expect(await jobOf(delivery)).toMatchObject({ maxAttempts: RETRIES + 1 })
    await until(
      async () => (await deliveryJobs(posthorn.database.pool)).length === 1,
      'it has one job',
    )
    expect(receiver.received).toHaveLength(1)
  })
})

test('a job that fails by an internal error after an operator ran it is restored, and its delivery is not canceled', async () => {
  const { delivery, job } = await failedOnce()
  await query(`alter table posthorn.attempts add constraint fault check (number < 2) not valid`)
  const last = 'reschedule_jobs(array[id], run_at := now(), max_attempts := job.attempts + 1)'
  await callFunction(last, job.key)
  await until(async () => {
    const now = await jobOf(delivery)
    return now && !now.lockedBy && now.attempts >= now.maxAttempts
  }, 'its job has failed')
  await query('alter table posthorn.attempts drop constraint fault')
  answer(200)
  expect(await operatorSweep()).toEqual({ restored: [job.key], canceled: [] })
  await act('run now', job)
  await untilState(delivery, 'succeeded')
})

function answer(status: number): void {
  receiver.answer = (response) => response.writeHead(status).end()
}

async function publish(): Promise<void> {
  const { services, tenant } = posthorn
  await services.publishEvents(tenant.organizationId, [{ type: JOINED, data: {} }])
}

const latest = () => posthorn.database.prisma.delivery.findFirstOrThrow({ orderBy: { id: 'desc' } })

/** A delivery during its first attempt, and its job. `finish` answers the request. */
async function running() {
  const answers = Promise.withResolvers<ServerResponse>()
  receiver.answer = (response) => answers.resolve(response)
  await publish()
  const response = await answers.promise
  const delivery = await latest()
  const job = (await jobOf(delivery)) as JobRow
  expect(job.lockedBy).not.toBeNull()
  return { delivery, job, finish: (status = 200) => void response.writeHead(status).end() }
}

/** A delivery with one failed attempt, and its job. */
async function failedOnce(): Promise<{ delivery: Delivery; job: JobRow }> {
  answer(503)
  await publish()
  const delivery = await latest()
  await until(async () => (await jobOf(delivery))?.attempts === 1, 'its first attempt has failed')
  await until(async () => (await jobOf(delivery))?.lastError, 'its job is scheduled')
  return { delivery, job: (await jobOf(delivery)) as JobRow }
}

async function exhausted(): Promise<{ delivery: Delivery; job: JobRow }> {
  const { delivery } = await failedOnce()
  for (let attempts = 2; attempts <= RETRIES + 1; attempts++) {
    await act('run now', { key: publicId('delivery', delivery.id) })
    await until(
      async () => (await read(delivery)).attemptCount === attempts,
      `attempt ${attempts} is recorded`,
    )
  }
  await untilState(delivery, 'exhausted')
  return { delivery, job: (await jobOf(delivery)) as JobRow }
}

/** As `posthorn:check_jobs` does once a minute. */
const reopen = () => reopenRescheduled(posthorn.database.pool, 'graphile_worker')

async function operatorSweep() {
  const options = { recheckAfterMs: 0, olderThanMs: -60_000, pauseFactor: 0 }
  return await sweep(posthorn.database.pool, 'graphile_worker', options)
}

async function jobOf({ id }: Delivery): Promise<JobRow | undefined> {
  const jobs = await deliveryJobs(posthorn.database.pool)
  return jobs.find(({ key }) => key === publicId('delivery', id))
}

async function read({ id }: Delivery): Promise<Delivery> {
  return await posthorn.database.prisma.delivery.findUniqueOrThrow({ where: { id } })
}

async function untilState(delivery: Delivery, state: string): Promise<void> {
  await until(async () => (await read(delivery)).state === state, `the delivery is ${state}`)
}

const pending = () => posthorn.database.prisma.delivery.count({ where: { state: 'pending' } })
