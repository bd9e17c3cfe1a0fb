import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { publicId } from '../../src/ids.ts'
import { type Api, openApi } from './support/api.ts'
import { document } from './support/document.ts'
import { addWebhook, deliveryIds, publish } from './support/rows.ts'

let api: Api
let operator: Awaited<ReturnType<Api['tenant']>>
let tenant: Awaited<ReturnType<Api['tenant']>>
let deliveries: string[]

/** Four jobs, added in this order, each in another state; the first is a delivery's. */
interface Jobs {
  due: string
  waiting: string
  running: string
  failed: string
}
let jobs: Jobs

beforeAll(async () => {
  api = await openApi()
  operator = await api.tenant(['admin'])
})
beforeEach(async () => {
  await api.database.pool.query('delete from graphile_worker._private_jobs')
  tenant = await api.tenant()
  await addWebhook(api, tenant.organizationId)
  await publish(api, tenant.organizationId)
  deliveries = await deliveryIds(api.database, tenant.organizationId)
  const due = await scalar('select id from graphile_worker._private_jobs')
  const waiting = await add(`'maintain', run_at := now() + interval '1 hour'`)
  const running = await add(`'maintain', payload := '{"n": 1}'`)
  const failed = await add(`'cancel_deliveries', max_attempts := 1`)
  await api.database.pool.query(
    `update graphile_worker._private_jobs set locked_at = now(), locked_by = 'worker_1' where id = $1`,
    [running],
  )
  await api.database.pool.query(
    `update graphile_worker._private_jobs set attempts = 1, last_error = 'Boom' where id = $1`,
    [failed],
  )
  jobs = { due, waiting, running, failed }
})
afterAll(() => api[Symbol.asyncDispose]())

async function scalar(text: string): Promise<string> {
  const { rows } = await api.database.pool.query({ text, rowMode: 'array' })
  return String(rows[0]?.[0])
}

const add = (args: string) => scalar(`select id from graphile_worker.add_job(${args})`)

function call(operation: string, variables: Record<string, unknown> = {}) {
  return api.call(operator.token, document('jobs', operation), variables)
}

const idsOf = (data: { jobs: { nodes: { id: string }[] } }) => data.jobs.nodes.map(({ id }) => id)

describe('jobs', () => {
  test('come in the order they were added, with their deliveries, and whose they are, in five statements', async () => {
    const { data, errors } = await call('Jobs')
    expect(errors).toBeUndefined()
    expect(idsOf(data)).toEqual(Object.values(jobs))
    expect(data.jobs.nodes).toMatchObject([
      {
        task: 'deliver',
        state: 'DUE',
        attempts: 0,
        maxAttempts: 25,
        payload: { deliveryId: deliveries[0] },
        delivery: { id: deliveries[0], state: 'PENDING' },
        organization: { id: publicId('organization', tenant.organizationId) },
        lockedAt: null,
      },
      { task: 'maintain', state: 'WAITING', delivery: null, organization: null },
      { task: 'maintain', state: 'RUNNING', lockedBy: 'worker_1', payload: { n: 1 } },
      { task: 'cancel_deliveries', state: 'FAILED', attempts: 1, lastError: 'Boom' },
    ])
    expect(api.statements.list).toHaveLength(5)
  })

  test('of several organizations say whose they are, in as many statements', async () => {
    const other = await api.tenant()
    await addWebhook(api, other.organizationId)
    await publish(api, other.organizationId, 2)
    const { data } = await call('Jobs', { task: 'deliver' })
    expect(
      data.jobs.nodes.map(({ organization }: { organization: { id: string } }) => organization.id),
    ).toEqual(
      [tenant, other, other].map(({ organizationId }) => publicId('organization', organizationId)),
    )
    expect(api.statements.list).toHaveLength(5)
  })

  test('say of nobody whose they are, once their delivery is gone', async () => {
    await api.database.pool.query('delete from posthorn.deliveries')
    const { data, errors } = await call('Jobs', { task: 'deliver' })
    expect(errors).toBeUndefined()
    expect(data.jobs.nodes).toMatchObject([{ id: jobs.due, delivery: null, organization: null }])
  })

  test.each(['due', 'waiting', 'running', 'failed'] as const)(
    'are narrowed to %s',
    async (state) => {
      const { data } = await call('Jobs', { state: state.toUpperCase() })
      expect(idsOf(data)).toEqual([jobs[state]])
    },
  )

  test('are narrowed by task', async () => {
    expect(idsOf((await call('Jobs', { task: 'maintain' })).data)).toEqual([
      jobs.waiting,
      jobs.running,
    ])
    expect(idsOf((await call('Jobs', { task: 'deliver' })).data)).toEqual([jobs.due])
    expect(idsOf((await call('Jobs', { task: 'maintain', state: 'RUNNING' })).data)).toEqual([
      jobs.running,
    ])
    expect(idsOf((await call('Jobs', { task: 'no such task' })).data)).toEqual([])
  })

  test('come in pages, both ways', async () => {
    const { data: first } = await call('Jobs', { first: 3 })
    expect(idsOf(first)).toEqual([jobs.due, jobs.waiting, jobs.running])
    expect(first.jobs.pageInfo).toMatchObject({ hasNextPage: true })
    const { endCursor } = first.jobs.pageInfo
    const { data: second } = await call('Jobs', { first: 3, after: endCursor })
    expect(idsOf(second)).toEqual([jobs.failed])
    expect(second.jobs.pageInfo).toMatchObject({ hasNextPage: false })
    const { data: back } = await call('Jobs', { last: 2, before: second.jobs.pageInfo.startCursor })
    expect(idsOf(back)).toEqual([jobs.waiting, jobs.running])
    expect(back.jobs.pageInfo).toMatchObject({ hasPreviousPage: true })
  })

  test('a cursor of another list is refused', async () => {
    const { data } = await api.call(operator.token, '{ organizations { edges { cursor } } }')
    const [{ cursor }] = data.organizations.edges
    for (const after of [cursor, 'nonsense']) {
      const { errors } = await call('Jobs', { after })
      expect(errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }])
    }
  })
})

test('jobSummary counts by task and state', async () => {
  const { data, errors } = await call('JobSummary')
  expect(errors).toBeUndefined()
  expect(data.jobSummary).toEqual([
    { task: 'cancel_deliveries', state: 'FAILED', count: 1, exact: true },
    { task: 'deliver', state: 'DUE', count: 1, exact: true },
    { task: 'maintain', state: 'RUNNING', count: 1, exact: true },
    { task: 'maintain', state: 'WAITING', count: 1, exact: true },
  ])
})

/** What each mutation does to the jobs that do not run. */
const MUTATIONS: [string, string, Record<string, unknown>, object | null][] = [
  ['runJobsNow', 'RunJobsNow', {}, { state: 'DUE', attempts: 0 }],
  [
    'rescheduleJobs',
    'RescheduleJobs',
    { runAt: '2099-01-31T12:00:00.000Z' },
    { state: 'WAITING', attempts: 0, runAt: '2099-01-31T12:00:00.000Z' },
  ],
  ['failJobs', 'FailJobs', { reason: 'By hand' }, { state: 'FAILED', lastError: 'By hand' }],
  ['completeJobs', 'CompleteJobs', {}, null],
]

describe.each(MUTATIONS)('%s', (name, operation, variables, after) => {
  test('changes what does not run, and says of each what became of it', async () => {
    const ids = [jobs.failed, jobs.running, '999999999', 'nonsense', jobs.waiting, jobs.due]
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
      { id: jobs.waiting, outcome: 'CHANGED', job },
      { id: jobs.due, outcome: 'CHANGED', job },
    ])
  })

  test('more than 100 ids are refused', async () => {
    const ids = Array.from({ length: 101 }, (_, i) => String(i + 1))
    const { data } = await call(operation, { ids, ...variables })
    expect(data[name]).toMatchObject({
      __typename: 'ValidationError',
      issues: [{ path: ['ids'], code: 'too_many' }],
    })
  })
})

test.each(['', 'x'.repeat(1_001), 'a\0'])(
  'failJobs refuses a reason such as %j',
  async (reason) => {
    const { data } = await call('FailJobs', { ids: [jobs.due], reason })
    expect(data.failJobs).toMatchObject({
      __typename: 'ValidationError',
      issues: [{ path: ['reason'] }],
    })
  },
)

test('a delivery says when its rescheduled job runs', async () => {
  const runAt = '2099-01-31T12:00:00.000Z'
  await call('RescheduleJobs', { ids: [jobs.due], runAt })
  const { rows } = await api.database.pool.query(
    `select next_attempt_at as at from posthorn.deliveries where posthorn.type_id('msg', id) = $1`,
    [deliveries[0]],
  )
  expect(rows[0].at.toISOString()).toBe(runAt)
})

describe('with many jobs that wait', () => {
  beforeEach(async () => {
    const { pool } = api.database
    await pool.query(
      `insert into graphile_worker._private_jobs (task_id, payload, key, run_at)
       select (select id from graphile_worker._private_tasks where identifier = 'deliver'), '{}', 'msg_' || i,
         case when i % 2 = 0 then posthorn.never() else now() + i * interval '1 minute' end
       from generate_series(1, 20000) as i`,
    )
    await pool.query('vacuum analyze graphile_worker._private_jobs')
  })

  const STATES = [undefined, 'DUE', 'WAITING', 'RUNNING', 'FAILED']
  test.each(
    STATES.flatMap((state) => [undefined, 'deliver', 'maintain'].map((task) => [state, task])),
  )('a page of those %s of the task %s is found by an index', async (state, task) => {
    const { errors } = await call('Jobs', { state, task })
    expect(errors).toBeUndefined()
    const text = api.statements.texts.find((sql) =>
      sql.includes('from graphile_worker._private_jobs'),
    )
    const { rows } = await api.database.pool.query(`explain ${text}`, [task, null, null, 21])
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
    expect(plan).toMatch(/Index (Only )?Scan/)
    expect(plan).not.toContain('Seq Scan on _private_jobs')
  })

  test('jobSummary counts the first 10,000 of a state, and says so', async () => {
    const { data } = await call('JobSummary')
    expect(data.jobSummary).toContainEqual({
      task: 'deliver',
      state: 'DUE',
      count: 1,
      exact: true,
    })
    const waiting = data.jobSummary.filter(({ state }: { state: string }) => state === 'WAITING')
    const sum = waiting.reduce((total: number, { count }: { count: number }) => total + count, 0)
    expect(sum).toBe(10_000)
    for (const { exact } of waiting) expect(exact).toBe(false)
  })
})
