import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { parseId, publicId } from '../../src/db/ids.ts'
import { sweep } from '../../src/deliveries/sweep.ts'
import { deleteWebhook } from '../../src/webhooks/webhook.ts'
import { type ClaimingWorker, claimJobs } from '../support/jobs.ts'
import { type Api, openApi } from './support/api.ts'
import { document } from './support/document.ts'
import { addWebhook, deliveryIds, deliveryRow, publish } from './support/rows.ts'

let api: Api
let operator: Awaited<ReturnType<Api['tenant']>>
let tenant: Awaited<ReturnType<Api['tenant']>>
let webhookId: string
let worker: ClaimingWorker

/** Four jobs in this order, each in a different state. The first two belong to deliveries. */
interface Jobs {
  running: string
  due: string
  scheduled: string
  failed: string
}
let jobs: Jobs
/** The deliveries of the running and the due job. */
let deliveries: { running: string; due: string }

beforeAll(async () => {
  api = await openApi()
  operator = await api.tenant(['admin'])
})
beforeEach(async () => {
  tenant = await api.tenant()
  webhookId = (await addWebhook(api, tenant.organizationId)).id
  await publish(api, tenant.organizationId)
  const running = await scalar('select id from graphile_worker.jobs')
  worker = await claimJobs(api.database, 1)
  await publish(api, tenant.organizationId)
  const due = await scalar('select max(id) from graphile_worker.jobs')
  const scheduled = await add(`'posthorn:maintain', run_at := now() + interval '1 hour'`)
  const failed = await add(`'posthorn:roll_up', max_attempts := 1`)
  await fail(failed, 'Boom')
  jobs = { running, due, scheduled, failed }
  const [second = '', first = ''] = await deliveryIds(api.database, tenant.organizationId)
  deliveries = { running: first, due: second }
})
afterEach(async () => {
  await worker.complete()
  await api.database.pool.query(
    'select from graphile_worker.complete_jobs(array(select id from graphile_worker.jobs))',
  )
})
afterAll(() => api[Symbol.asyncDispose]())

async function scalar(text: string, values: unknown[] = []): Promise<string> {
  const { rows } = await api.database.pool.query({ text, values, rowMode: 'array' })
  return String(rows[0]?.[0])
}

const add = (args: string) => scalar(`select id from graphile_worker.add_job(${args})`)

/** Adds a job as an operator would in a dashboard. */
const fail = (id: string, reason: string) =>
  scalar('select id from graphile_worker.permanently_fail_jobs(array[$1::bigint], $2)', [
    id,
    reason,
  ])

/** The jobs of one delivery in the public view of graphile-worker. */
async function jobsOf(deliveryId: string) {
  const { rows } = await api.database.pool.query(
    'select id::text, attempts, max_attempts, run_at, last_error from graphile_worker.jobs where key = $1',
    [deliveryId],
  )
  return rows
}

function call(operation: string, variables: Record<string, unknown> = {}) {
  return api.call(operator.token, document('jobs', operation), variables)
}

const idsOf = (data: { jobs: { nodes: { id: string }[] } }) => data.jobs.nodes.map(({ id }) => id)

describe('jobs', () => {
  test('come newest first, with deliveries and organizations, in six statements', async () => {
    const { data, errors } = await call('Jobs')
    expect(errors).toBeUndefined()
    expect(idsOf(data)).toEqual(Object.values(jobs).toReversed())
    const organization = { id: publicId('organization', tenant.organizationId) }
    expect(data.jobs.nodes.toReversed()).toMatchObject([
      {
        task: 'posthorn:deliver',
        state: 'RUNNING',
        attempts: 1,
        key: deliveries.running,
        delivery: { id: deliveries.running },
        organization,
        lockedAt: expect.any(String),
        lockedBy: expect.any(String),
      },
      {
        task: 'posthorn:deliver',
        state: 'DUE',
        attempts: 0,
        maxAttempts: 10,
        lastError: null,
        key: deliveries.due,
        delivery: { id: deliveries.due, state: 'QUEUED', webhook: { id: webhookId } },
        organization,
        lockedAt: null,
      },
      { task: 'posthorn:maintain', state: 'SCHEDULED', delivery: null, organization: null },
      { task: 'posthorn:roll_up', state: 'FAILED', attempts: 1, lastError: 'Boom', key: null },
    ])
    expect(api.statements.list.toSorted()).toEqual([
      'authenticate',
      'select deliveries',
      'select deliveries',
      'select job.id::text as',
      'select organizations',
      'select webhooks',
    ])
  })

  test('of several organizations show their organization, in as many statements', async () => {
    const other = await api.tenant()
    await addWebhook(api, other.organizationId)
    await publish(api, other.organizationId, 2)
    const { data } = await call('Jobs', { task: 'posthorn:deliver' })
    expect(
      data.jobs.nodes.map(({ organization }: { organization: { id: string } }) => organization.id),
    ).toEqual(
      [other, other, tenant, tenant].map(({ organizationId }) =>
        publicId('organization', organizationId),
      ),
    )
    expect(api.statements.list.toSorted()).toEqual([
      'authenticate',
      'select deliveries',
      'select deliveries',
      'select job.id::text as',
      'select organizations',
      'select webhooks',
    ])
  })

  test('have no delivery and no organization once the delivery is deleted', async () => {
    await api.database.prisma.delivery.deleteMany({
      where: { organizationId: tenant.organizationId },
    })
    const { data, errors } = await call('Jobs', { task: 'posthorn:deliver', state: 'DUE' })
    expect(errors).toBeUndefined()
    expect(data.jobs.nodes).toMatchObject([{ id: jobs.due, delivery: null, organization: null }])
  })

  test.each(['due', 'scheduled', 'running', 'failed'] as const)(
    'are filtered by the state %s',
    async (state) => {
      const { data } = await call('Jobs', { state: state.toUpperCase() })
      expect(idsOf(data)).toEqual([jobs[state]])
    },
  )

  test('are filtered by task', async () => {
    const narrowed = async (variables: object) => idsOf((await call('Jobs', { ...variables })).data)
    expect(await narrowed({ task: 'posthorn:deliver' })).toEqual([jobs.due, jobs.running])
    expect(await narrowed({ task: 'posthorn:maintain' })).toEqual([jobs.scheduled])
    expect(await narrowed({ task: 'posthorn:deliver', state: 'DUE' })).toEqual([jobs.due])
    expect(await narrowed({ task: 'no such task' })).toEqual([])
  })

  test('of other programs in the same schema are neither returned nor changed', async () => {
    const foreign = await add(`'deliver', job_key := 'theirs', max_attempts := 7`)
    expect(idsOf((await call('Jobs')).data)).not.toContain(foreign)
    expect(idsOf((await call('Jobs', { task: 'deliver' })).data)).toEqual([])
    const { data } = await call('JobCounts')
    expect(data.jobCounts.map(({ task }: { task: string }) => task)).not.toContain('deliver')
    for (const [name, operation, variables] of MUTATIONS) {
      const { data } = await call(operation, { ids: [foreign], ...variables })
      expect(data[name].changes).toEqual([{ id: foreign, outcome: 'NOT_FOUND', job: null }])
    }
    expect(await jobsOf('theirs')).toMatchObject([
      { id: foreign, attempts: 0, max_attempts: 7, last_error: null },
    ])
  })

  test('can be paged in both directions', async () => {
    const { data: first } = await call('Jobs', { first: 3 })
    expect(idsOf(first)).toEqual([jobs.failed, jobs.scheduled, jobs.due])
    expect(first.jobs.pageInfo).toMatchObject({ hasNextPage: true })
    const { endCursor } = first.jobs.pageInfo
    const { data: second } = await call('Jobs', { first: 3, after: endCursor })
    expect(idsOf(second)).toEqual([jobs.running])
    expect(second.jobs.pageInfo).toMatchObject({ hasNextPage: false })
    const { data: back } = await call('Jobs', { last: 2, before: second.jobs.pageInfo.startCursor })
    expect(idsOf(back)).toEqual([jobs.scheduled, jobs.due])
    expect(back.jobs.pageInfo).toMatchObject({ hasPreviousPage: true })
  })

  test('a cursor of another list is rejected', async () => {
    const { data } = await api.call(operator.token, '{ organizations { edges { cursor } } }')
    const [{ cursor }] = data.organizations.edges
    for (const after of [cursor, 'nonsense']) {
      const { errors } = await call('Jobs', { after })
      expect(errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }])
    }
  })
})

test('jobCounts counts by task and state', async () => {
  const { data, errors } = await call('JobCounts')
  expect(errors).toBeUndefined()
  expect(data.jobCounts).toEqual([
    { task: 'posthorn:deliver', state: 'DUE', count: 1, countIsExact: true },
    { task: 'posthorn:deliver', state: 'RUNNING', count: 1, countIsExact: true },
    { task: 'posthorn:maintain', state: 'SCHEDULED', count: 1, countIsExact: true },
    { task: 'posthorn:roll_up', state: 'FAILED', count: 1, countIsExact: true },
  ])
})

/** The effect of each mutation on jobs that do not run. */
const MUTATIONS: [string, string, Record<string, unknown>, object | null][] = [
  ['runJobsNow', 'RunJobsNow', {}, { state: 'DUE', attempts: 0 }],
  [
    'rescheduleJobs',
    'RescheduleJobs',
    { input: { runAt: '2099-01-31T12:00:00.000Z' } },
    { state: 'SCHEDULED', attempts: 0, runAt: '2099-01-31T12:00:00.000Z' },
  ],
  [
    'failJobs',
    'FailJobs',
    { input: { reason: 'By hand' } },
    { state: 'FAILED', lastError: 'By hand' },
  ],
  ['completeJobs', 'CompleteJobs', {}, null],
]

describe.each(MUTATIONS)('%s', (name, operation, variables, after) => {
  test('changes jobs that do not run, and returns the outcome of each', async () => {
    const ids = [jobs.failed, jobs.running, '999999999', 'nonsense', jobs.scheduled, jobs.due]
    const { data, errors } = await call(operation, { ids, ...variables })
    expect(errors).toBeUndefined()
    const job = after && expect.objectContaining(after)
    expect(data[name].changes).toEqual([
      { id: jobs.failed, outcome: 'CHANGED', job },
      {
        id: jobs.running,
        outcome: 'RUNNING',
        job: expect.objectContaining({ id: jobs.running, state: 'RUNNING' }),
      },
      { id: '999999999', outcome: 'NOT_FOUND', job: null },
      { id: 'nonsense', outcome: 'NOT_FOUND', job: null },
      { id: jobs.scheduled, outcome: 'CHANGED', job },
      { id: jobs.due, outcome: 'CHANGED', job },
    ])
  })

  test('more than 100 ids are rejected', async () => {
    const ids = Array.from({ length: 101 }, (_, i) => String(i + 1))
    const { data } = await call(operation, { ids, ...variables })
    expect(data[name]).toMatchObject({
      __typename: 'ValidationError',
      issues: [{ path: ['ids'], code: 'too_many' }],
    })
  })
})

test.each(['', 'x'.repeat(1_001), 'a\0'])('failJobs rejects the reason %j', async (reason) => {
  const { data } = await call('FailJobs', { ids: [jobs.due], input: { reason } })
  expect(data.failJobs).toMatchObject({
    __typename: 'ValidationError',
    issues: [{ path: ['reason'] }],
  })
})

test('a delivery shows the new time of its rescheduled job', async () => {
  const runAt = '2099-01-31T12:00:00.000Z'
  await call('RescheduleJobs', { ids: [jobs.due], input: { runAt } })
  const { nextAttemptAt } = await deliveryRow(api.database, deliveries.due)
  expect(nextAttemptAt?.toISOString()).toBe(runAt)
  expect(await jobsOf(deliveries.due)).toMatchObject([
    { id: jobs.due, attempts: 0, max_attempts: 10, run_at: new Date(runAt) },
  ])
})

describe('the job of a delivery', () => {
  test('run now is a redelivery, also in the audit log', async () => {
    await call('RescheduleJobs', { ids: [jobs.due], input: { runAt: '2099-01-31T12:00:00.000Z' } })
    const { data } = await call('RunJobsNow', { ids: [jobs.due] })
    expect(data.runJobsNow.changes).toMatchObject([
      { id: jobs.due, outcome: 'CHANGED', job: { state: 'DUE' } },
    ])
    const { nextAttemptAt, hasPriority } = await deliveryRow(api.database, deliveries.due)
    expect(hasPriority).toBe(true)
    expect(nextAttemptAt?.getTime()).toBeLessThanOrEqual(Date.now())
    expect(await actionsOf(tenant.organizationId)).toEqual([
      'job.rescheduled',
      'delivery.redelivered',
      'job.run_now',
    ])
  })

  test('failed by an operator cancels the delivery, which keeps the reason', async () => {
    const { data } = await call('FailJobs', {
      ids: [jobs.due],
      input: { reason: 'The partner left' },
    })
    expect(data.failJobs.changes).toMatchObject([
      { outcome: 'CHANGED', job: { state: 'FAILED', lastError: 'The partner left' } },
    ])
    expect(await deliveryRow(api.database, deliveries.due)).toMatchObject({
      state: 'canceled',
      lastError: 'The partner left',
    })
  })

  test.each([
    ['RunJobsNow', {}, 'DUE'],
    ['RescheduleJobs', { input: { runAt: '2099-01-31T12:00:00.000Z' } }, 'SCHEDULED'],
  ])('failed by mistake can be sent with %s', async (operation, variables, state) => {
    await call('FailJobs', { ids: [jobs.due], input: { reason: 'A mistake' } })
    const { data } = await call(operation, { ids: [jobs.due], ...variables })
    const [answer] = Object.values(data) as { changes: object[] }[]
    expect(answer?.changes).toMatchObject([{ outcome: 'CHANGED' }])
    expect(await jobsOf(deliveries.due)).toMatchObject([{ attempts: 0, max_attempts: 10 }])
    const { data: listed } = await call('Jobs', { task: 'posthorn:deliver', state })
    expect(listed.jobs.nodes).toMatchObject([{ delivery: { id: deliveries.due } }])
    expect(await deliveryRow(api.database, deliveries.due)).toMatchObject({
      state: 'pending',
      maxAttempts: 10,
    })
  })

  test('completed by an operator is replaced within five minutes, so no delivery is lost', async () => {
    await api.database.pool.query(
      `update posthorn.deliveries set job_written_at = job_written_at - interval '2 minutes' where id = $1`,
      [parseId('delivery', deliveries.due)],
    )
    const { data } = await call('CompleteJobs', { ids: [jobs.due] })
    expect(data.completeJobs.changes).toEqual([{ id: jobs.due, outcome: 'CHANGED', job: null }])
    expect(await jobsOf(deliveries.due)).toEqual([])
    expect(await deliveryRow(api.database, deliveries.due)).toMatchObject({ state: 'pending' })
    // A worker does this every few minutes.
    const { restored } = await sweep(api.database.pool, 'graphile_worker', {
      olderThanMs: 0,
      recheckAfterMs: 0,
    })
    expect(restored).toContain(deliveries.due)
    expect(await jobsOf(deliveries.due)).toMatchObject([{ attempts: 0, max_attempts: 10 }])
  })

  test.each([
    ['RunJobsNow', {}],
    ['RescheduleJobs', { input: { runAt: '2099-01-31T12:00:00.000Z' } }],
  ])(
    'is not changed by %s once its webhook is deleted, which the outcome shows',
    async (operation, variables) => {
      await deleteWebhook(api.deps.webhooks, tenant.organizationId, webhookId)
      const { data } = await call(operation, { ids: [jobs.due], ...variables })
      const [answer] = Object.values(data) as { changes: object[] }[]
      expect(answer?.changes).toMatchObject([{ id: jobs.due, outcome: 'UNDELIVERABLE' }])
    },
  )
})

/** The audit log entries about jobs and deliveries of an organization, oldest first. */
async function actionsOf(organizationId: string): Promise<string[]> {
  const entries = await api.database.prisma.auditEntry.findMany({
    where: { organizationId },
    orderBy: { id: 'asc' },
  })
  return entries.map(({ action }) => action).filter((action) => /^(job|delivery)\./.test(action))
}

describe('with 20,000 scheduled jobs', () => {
  beforeEach(async () => {
    await api.database.pool.query(
      `select count(*) from graphile_worker.add_jobs(array(
         select row('posthorn:deliver', '{}', null, now() + i * interval '1 minute' + interval '1 hour', 10, 'msg_' || i,
           null, null)::graphile_worker.job_spec
         from generate_series(1, 20000) as i
       ))`,
    )
  })

  test('each state and task is found', async () => {
    const found = async (variables: object) => idsOf((await call('Jobs', { ...variables })).data)
    expect(await found({ state: 'RUNNING' })).toEqual([jobs.running])
    expect(await found({ state: 'DUE' })).toEqual([jobs.due])
    expect(await found({ state: 'FAILED' })).toEqual([jobs.failed])
    expect(await found({ task: 'posthorn:maintain' })).toEqual([jobs.scheduled])
    expect(await found({ state: 'SCHEDULED', first: 3 })).toHaveLength(3)
  })

  test('jobCounts counts at most 10,000 jobs of a state, and marks the count as inexact', async () => {
    const { data } = await call('JobCounts')
    expect(data.jobCounts).toContainEqual({
      task: 'posthorn:deliver',
      state: 'DUE',
      count: 1,
      countIsExact: true,
    })
    const scheduled = data.jobCounts.filter(({ state }: { state: string }) => state === 'SCHEDULED')
    const sum = scheduled.reduce((total: number, { count }: { count: number }) => total + count, 0)
    expect(sum).toBe(10_000)
    for (const { countIsExact } of scheduled) expect(countIsExact).toBe(false)
  })
})
