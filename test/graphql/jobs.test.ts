import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { publicId } from '../../src/db/ids.ts'
import { type ClaimingWorker, claimJobs } from '../support/jobs.ts'
import { type Api, openApi } from './support/api.ts'
import { document } from './support/document.ts'
import { addWebhook, deliveryIds, publish } from './support/rows.ts'

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

  test('of other programs in the same schema are not returned', async () => {
    const foreign = await add(`'deliver', job_key := 'theirs', max_attempts := 7`)
    expect(idsOf((await call('Jobs')).data)).not.toContain(foreign)
    expect(idsOf((await call('Jobs', { task: 'deliver' })).data)).toEqual([])
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
})
