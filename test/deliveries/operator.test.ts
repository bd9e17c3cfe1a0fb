import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Delivery } from '../../src/db/generated/prisma/client.ts'
import { publicId } from '../../src/db/ids.ts'
import { sweep } from '../../src/deliveries/sweep.ts'
import { startTestApp, type TestApp } from '../support/app.ts'
import { JOINED } from '../support/factories.ts'
import { deliveryJobs, type JobRow } from '../support/jobs.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { until } from '../support/until.ts'

/* An operator changes jobs with the public functions of graphile-worker, while a worker runs. */
const RETRIES = 2

let receiver: Receiver
let posthorn: TestApp
let webhook: string

beforeAll(async () => {
  receiver = await startReceiver()
  posthorn = await startTestApp({
    trustedAuthorities: [receiver.authority],
    environment: { POSTHORN_RETRY_SCHEDULE: '1h,1h' },
  })
})
afterAll(async () => {
  await posthorn[Symbol.asyncDispose]()
  await receiver[Symbol.asyncDispose]()
})
beforeEach(async () => {
  const response = await posthorn.rest('POST', '/webhooks', {
    url: receiver.url,
    event_subscriptions: [JOINED],
    enabled: true,
  })
  webhook = (await response.json()).id
})
afterEach(async () => {
  await posthorn.rest('DELETE', `/webhooks/${webhook}`)
  await until(async () => (await pending()) === 0, 'nothing is pending')
  await query(`select graphile_worker.complete_jobs(array(
    select id from graphile_worker.jobs where task_identifier = 'posthorn:deliver'))`)
  receiver.clear()
})

test('a retry that an operator reschedules to now is attempted now', async () => {
  const { delivery, job } = await failedOnce()
  answer(200)
  await query('select graphile_worker.reschedule_jobs(array[$1::bigint], run_at := now())', [
    job.id,
  ])
  await untilState(delivery, 'succeeded')
  expect(receiver.received.map(({ headers }) => headers['wh-id'])).toEqual([job.key, job.key])
  await until(
    async () => (await deliveryJobs(posthorn.database.pool)).length === 0,
    'no job is left',
  )
})

test('a rescheduled retry that fails again continues its schedule', async () => {
  const { delivery, job } = await failedOnce()
  await query('select graphile_worker.reschedule_jobs(array[$1::bigint], run_at := now())', [
    job.id,
  ])
  await until(
    async () => (await read(delivery)).attemptCount === 2,
    'the delivery is attempted again',
  )
  await until(async () => (await jobOf(delivery))?.attempts === 2, 'its job has the attempt')
  expect(await jobOf(delivery)).toMatchObject({ maxAttempts: RETRIES + 1 })
})

test('running the failed job of an exhausted delivery again attempts the delivery with a full retry schedule', async () => {
  const { delivery, job } = await exhausted()
  expect(job).toMatchObject({ attempts: 3, maxAttempts: 3 })
  await query(
    'select graphile_worker.reschedule_jobs(array[$1::bigint], run_at := now(), attempts := 0)',
    [job.id],
  )
  await until(
    async () => (await read(delivery)).attemptCount === 4,
    'the delivery is attempted again',
  )
  await until(async () => (await jobOf(delivery))?.attempts === 4, 'its job has the attempt')
  expect(await jobOf(delivery)).toMatchObject({ maxAttempts: 3 + RETRIES + 1 })
  expect(await read(delivery)).toMatchObject({ state: 'pending', schedulePosition: 1 })
  expect(await operatorSweep()).toEqual({ restored: [], canceled: [] })
})

test('running the failed job of an exhausted delivery again succeeds if the endpoint answers', async () => {
  const { delivery, job } = await exhausted()
  answer(200)
  await query(
    'select graphile_worker.reschedule_jobs(array[$1::bigint], run_at := now(), attempts := 0)',
    [job.id],
  )
  await untilState(delivery, 'succeeded')
})

test('redelivering an exhausted delivery leaves no failed job', async () => {
  const { delivery } = await exhausted()
  await posthorn.graphql('mutation ($id: ID!) { redeliver(id: $id) { __typename } }', {
    id: publicId('delivery', delivery.id),
  })
  await until(
    async () => (await read(delivery)).attemptCount === 4,
    'the delivery is attempted again',
  )
  await until(async () => (await jobOf(delivery))?.attempts === 4, 'its job has the attempt')
  const jobs = async () => await deliveryJobs(posthorn.database.pool)
  await until(async () => (await jobs()).length === 1, 'the job that was replaced is gone')
})

test('permanently failing a job cancels its delivery, and no attempt follows', async () => {
  const { delivery, job } = await failedOnce()
  await query('select graphile_worker.permanently_fail_jobs(array[$1::bigint], $2)', [
    job.id,
    'The endpoint was shut down.',
  ])
  expect(await operatorSweep()).toEqual({ restored: [], canceled: [job.key] })
  expect(await read(delivery)).toMatchObject({
    state: 'canceled',
    lastError: 'The endpoint was shut down.',
  })
  expect(await jobOf(delivery)).toMatchObject({ lastError: 'The endpoint was shut down.' })
  await query(
    'select graphile_worker.reschedule_jobs(array[$1::bigint], run_at := now(), attempts := 0)',
    [job.id],
  )
  await until(async () => (await jobOf(delivery)) === undefined, 'the job has run')
  expect(receiver.received).toHaveLength(1)
})

test.each([
  ['completed', 'select graphile_worker.complete_jobs(array[$1::bigint])'],
  ['deleted', 'select graphile_worker.remove_job(key) from graphile_worker.jobs where id = $1'],
])(
  'a job that an operator %s is restored with its run time, attempts and error',
  async (_case, act) => {
    const { delivery, job } = await failedOnce()
    await query(act, [job.id])
    expect(await jobOf(delivery)).toBeUndefined()
    expect(await operatorSweep()).toEqual({ restored: [job.key], canceled: [] })
    const { runAt, attempts, maxAttempts, lastError } = job
    expect(await jobOf(delivery)).toMatchObject({ runAt, attempts, maxAttempts, lastError })
  },
)

test('a job that fails by an internal error after an operator ran it is restored, and its delivery is not canceled', async () => {
  const { delivery, job } = await failedOnce()
  await query(`alter table posthorn.attempts add constraint fault check (number < 2) not valid`)
  await query(
    'select graphile_worker.reschedule_jobs(array[$1::bigint], run_at := now(), max_attempts := attempts + 1) from graphile_worker.jobs where id = $1',
    [job.id],
  )
  await until(async () => {
    const now = await jobOf(delivery)
    return now && !now.lockedBy && now.attempts >= now.maxAttempts
  }, 'its job has failed')
  await query('alter table posthorn.attempts drop constraint fault')
  answer(200)
  expect(await operatorSweep()).toEqual({ restored: [job.key], canceled: [] })
  await query(
    'select graphile_worker.reschedule_jobs(array(select id from graphile_worker.jobs where key = $1), run_at := now())',
    [job.key],
  )
  await untilState(delivery, 'succeeded')
})

function answer(status: number): void {
  receiver.answer = (response) => response.writeHead(status).end()
}

/** A delivery with one failed attempt, and its job. */
async function failedOnce(): Promise<{ delivery: Delivery; job: JobRow }> {
  answer(503)
  await posthorn.app.services.publishEvents(posthorn.tenant.organizationId, [
    { type: JOINED, data: {} },
  ])
  const delivery = await posthorn.database.prisma.delivery.findFirstOrThrow({
    orderBy: { id: 'desc' },
  })
  await until(async () => (await jobOf(delivery))?.attempts === 1, 'its first attempt has failed')
  await until(async () => (await jobOf(delivery))?.lastError, 'its job is scheduled')
  return { delivery, job: (await jobOf(delivery)) as JobRow }
}

async function exhausted(): Promise<{ delivery: Delivery; job: JobRow }> {
  const { delivery } = await failedOnce()
  for (let attempts = 2; attempts <= RETRIES + 1; attempts++) {
    await query(
      'select graphile_worker.reschedule_jobs(array(select id from graphile_worker.jobs where key = $1), run_at := now())',
      [publicId('delivery', delivery.id)],
    )
    await until(
      async () => (await read(delivery)).attemptCount === attempts,
      `attempt ${attempts} is recorded`,
    )
  }
  await untilState(delivery, 'exhausted')
  return { delivery, job: (await jobOf(delivery)) as JobRow }
}

async function operatorSweep() {
  const { pool } = posthorn.database
  return await sweep(pool, 'graphile_worker', {
    recheckAfterMs: 0,
    olderThanMs: -60_000,
    pauseFactor: 0,
  })
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

async function pending(): Promise<number> {
  return await posthorn.database.prisma.delivery.count({ where: { state: 'pending' } })
}

function query(text: string, values: unknown[] = []) {
  return posthorn.database.pool.query(text, values)
}
