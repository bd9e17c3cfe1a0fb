import { beforeEach, describe, expect, test } from 'vitest'
import { changeDeliveries } from '../../src/bulk-tasks/change-deliveries.ts'
import { parseId, publicId } from '../../src/db/ids.ts'
import { deleteOldRows } from '../../src/run/maintenance.ts'
import { putOnHold } from '../../src/scheduling/circuit-breaker.ts'
import { useApi, useTenant } from '../graphql/support/api.ts'
import { deliveryRow, FAILED, RETRY, recordAttempt } from '../graphql/support/rows.ts'
import { until } from '../support/until.ts'
import { runJob } from './rows.ts'

let webhookId: string
/** Newest first. */
let deliveries: string[]

const api = await useApi()
const tenant = useTenant(api)
beforeEach(async () => {
  webhookId = (await tenant.addWebhook()).id
  await tenant.publish(6)
  deliveries = await tenant.deliveryIds()
})

const record = (delivery: string | undefined, status: number | null, given?: object) =>
  recordAttempt(api.database, delivery, status, given)

const run = (operation: string, variables: object) => tenant.run('bulk-tasks', operation, variables)

/** Starts a redelivery of exhausted deliveries, and returns the id of its task. */
async function redeliver(filter: object = { states: ['EXHAUSTED'] }, options: object = {}) {
  const started = await run('RedeliverInBackground', { input: { filter, ...options } })
  expect(started).toMatchObject({ __typename: 'RedeliverSuccess' })
  return started.task.id as string
}

const cancelNow = (id: string | undefined) => run('CancelDeliveries', { input: { ids: [id] } })

const continueTask = (id: string) => runJob(api.database, parseId('bulkTask', id) as string)

/** Continues the task until it has changed all its deliveries, and returns it. */
async function change(id: string) {
  await until(
    async () => {
      await continueTask(id)
      return (await run('BulkTask', { id })).state !== 'RUNNING'
    },
    'the task has changed all its deliveries',
    20_000,
  )
  return await run('BulkTask', { id })
}

const states = async () =>
  Object.fromEntries(
    await Promise.all(
      deliveries.map(async (id) => {
        const { state, parkedReason } = await deliveryRow(api.database, id)
        return [id, parkedReason ?? state] as const
      }),
    ),
  )

async function jobKeys(): Promise<string[]> {
  const { rows } = await api.database.pool.query<{ key: string }>(
    `select key from graphile_worker.jobs
     where key = any ($1) and attempts < max_attempts and run_at <= now() + interval '1 second' order by key desc`,
    [deliveries],
  )
  return rows.map(({ key }) => key)
}

describe('a redelivery', () => {
  test('of all that failed with 502 since noon leaves out what succeeded since, and other causes', async () => {
    const [exhausted, retrying, succeeded, other, late] = deliveries
    await record(late, 502, RETRY)
    const recordedAtMs = Date.now()
    await until(() => Date.now() > recordedAtMs, 'the next millisecond begins')
    const noon = new Date()
    await record(exhausted, 502)
    await record(retrying, 502, RETRY)
    await record(retrying, 502, RETRY)
    await record(succeeded, 502, RETRY)
    await record(succeeded, 204)
    await record(other, 503)
    await record(late, 500, RETRY)
    const started = await run('RedeliverAllWith502', { noon })
    expect(started).toMatchObject({ count: 2, countIsExact: true, task: { state: 'RUNNING' } })
    expect(await change(started.task.id)).toMatchObject({
      state: 'COMPLETED',
      total: 2,
      changed: 2,
      progress: 1,
      finishedAt: expect.any(String),
    })
    expect(await deliveryRow(api.database, exhausted as string)).toMatchObject({
      state: 'pending',
      schedulePosition: 0,
      attemptCount: 1,
    })
    const { nextAttemptAt } = await deliveryRow(api.database, retrying as string)
    expect(nextAttemptAt?.getTime()).toBeLessThanOrEqual(Date.now())
    expect(await jobKeys()).toEqual([exhausted, retrying, deliveries[5]].toSorted().toReversed())
    expect(await states()).toMatchObject({
      [succeeded as string]: 'succeeded',
      [other as string]: 'exhausted',
    })
  })

  test('by ids sends at once what is in any state, and starts no task', async () => {
    const [succeeded, canceled, exhausted, queued] = deliveries
    await record(succeeded, 204)
    await cancelNow(canceled)
    await record(exhausted, 500)
    const ids = [succeeded, canceled, exhausted, queued, queued]
    const counted = await run('RedeliverInBackground', { input: { ids, dryRun: true } })
    expect(counted).toMatchObject({ count: 4, task: null })
    const repeated = (length: number) => ({ ids: Array(length).fill(queued), dryRun: true })
    expect(await run('RedeliverInBackground', { input: repeated(100) })).toMatchObject({ count: 1 })
    expect(await run('RedeliverInBackground', { input: repeated(101) })).toMatchObject({
      issues: [{ path: ['ids'], code: 'too_many' }],
    })
    expect((await tenant.run('deliveries', 'Redeliver', { ids })).deliveries).toHaveLength(4)
    expect(new Set(Object.values(await states()))).toEqual(new Set(['pending']))
    expect((await run('BulkTasks', {})).nodes).toEqual([])
  })

  test('by a filter of states works in pages at its rate, and takes each delivery once', async () => {
    for (const delivery of deliveries) await record(delivery, 500)
    const filter = { states: 'EXHAUSTED', webhookIds: [webhookId] }
    const id = await redeliver(filter, { ratePerSecond: 4 })
    await continueTask(id)
    const { changed } = await run('BulkTask', { id })
    expect(changed).toBeLessThan(deliveries.length)
    expect(await change(id)).toMatchObject({ total: 6, changed: 6 })
    expect(new Set(Object.values(await states()))).toEqual(new Set(['pending']))
  })

  test('leaves out deliveries and attempts that are newer than the task', async () => {
    await record(deliveries[0], 500)
    const id = await redeliver({ statusClasses: FAILED })
    await tenant.publish()
    const [newer] = await tenant.deliveryIds()
    await record(newer, 500)
    expect(await change(id)).toMatchObject({ total: 1, changed: 1 })
    expect(await deliveryRow(api.database, newer as string)).toMatchObject({ state: 'exhausted' })
  })

  test('parks the deliveries of a webhook on hold, and leaves retrying ones to their schedule', async () => {
    const [exhausted, retrying] = deliveries
    await record(exhausted, 500)
    await record(retrying, 500, RETRY)
    await putOnHold(api.database.pool, parseId('webhook', webhookId) as string)
    const id = await redeliver({ statusClasses: FAILED })
    expect(await change(id)).toMatchObject({ total: 2, changed: 1 })
    expect(await states()).toMatchObject({
      [exhausted as string]: 'on_hold',
      [retrying as string]: 'pending',
    })
    expect(await jobKeys()).not.toContain(exhausted)
  })

  test('skips deliveries of a deleted webhook and of deleted events', async () => {
    const [one = '', two = ''] = deliveries
    await record(one, 500)
    await record(two, 500)
    const { eventId } = await deliveryRow(api.database, one)
    await api.database.prisma.event.deleteMany({ where: { id: eventId } })
    expect(await change(await redeliver())).toMatchObject({ changed: 1 })
    await tenant.run('webhooks', 'DeleteWebhook', { id: webhookId })
    await record(two, 500)
    expect(await change(await redeliver())).toMatchObject({ changed: 0 })
  })
})

test('a cancelation cancels what has not finished, with its jobs', async () => {
  const [retrying, exhausted] = deliveries
  await record(retrying, 500, RETRY)
  await record(exhausted, 500)
  const started = await run('CancelDeliveries', {
    input: { filter: { webhookIds: [webhookId] } },
  })
  expect(started).toMatchObject({ count: 5 })
  expect(await change(started.task.id)).toMatchObject({
    action: 'CANCEL',
    state: 'COMPLETED',
    changed: 5,
  })
  expect(Object.values(await states()).toSorted()).toEqual([
    ...Array(5).fill('canceled'),
    'exhausted',
  ])
  expect(await jobKeys()).toEqual([])
})

describe('a task', () => {
  test('can be canceled while it runs, and not later', async () => {
    const input = { filter: { states: ['QUEUED'] }, ratePerSecond: 1 }
    const { task } = await run('CancelDeliveries', { input })
    await continueTask(task.id)
    const canceled = await run('CancelBulkTask', task)
    expect(canceled.task).toMatchObject({ state: 'CANCELED' })
    const { changed } = canceled.task
    await continueTask(task.id)
    expect(await run('BulkTask', task)).toMatchObject({ state: 'CANCELED', changed })
    expect(await run('CancelBulkTask', task)).toMatchObject({
      __typename: 'CancelBulkTaskSuccess',
    })
    await record(deliveries[0], 500)
    const following = await redeliver()
    await change(following)
    expect(await run('CancelBulkTask', { id: following })).toMatchObject({ code: 'conflict' })
  })

  test('is the tenth only once, if several start at the same time', async () => {
    const input = { filter: { states: ['EXHAUSTED'] } }
    const start = () => run('RedeliverInBackground', { input })
    for (let i = 0; i < 9; i++) await start()
    const answers = await Promise.all(Array.from({ length: 5 }, start))
    const refused = answers.filter(({ task }) => !task)
    expect(refused).toHaveLength(4)
    for (const { code, message } of refused) {
      expect({ code, message }).toMatchObject({
        code: 'conflict',
        message: expect.stringContaining('can have 10 at a time'),
      })
    }
  })

  test.each([
    ['deliveries', { states: ['queued'] }],
    ['attempts', { anyAttempt: { statusClasses: [0, 3, 4, 5] } }],
  ] as const)('for one webhook is limited to it by a filter of %s too', async (_, filter) => {
    const { id } = await tenant.addWebhook()
    await tenant.publish(2)
    const own = { webhookId: parseId('webhook', id) as string }
    const failed = await api.database.prisma.delivery.findFirstOrThrow({ where: own })
    for (const delivery of [publicId('delivery', failed.id), ...deliveries.slice(1)]) {
      await record(delivery, 500, RETRY)
    }
    const counted = await changeDeliveries(
      api.deps,
      tenant.organizationId,
      'cancel',
      { filter, dryRun: true },
      own.webhookId,
    )
    expect(counted).toMatchObject({ count: 1, exact: true })
  })

  test('is listed newest first, by its webhook and its action', async () => {
    const data = {
      ...{ organizationId: tenant.organizationId, webhookId: parseId('webhook', webhookId) },
      ...{
        selection: { since: new Date(), until: new Date() },
        state: 'completed' as const,
        finishedAt: new Date(),
      },
      ...{ ratePerSecond: 1, total: 0, totalIsExact: true },
    }
    const own: string[] = []
    for (const action of ['redeliver', 'recover', 'recover', 'recover'] as const) {
      const { id } = await api.database.prisma.bulkTask.create({ data: { ...data, action } })
      own.unshift(publicId('bulkTask', id))
    }
    await redeliver()
    const listed = async (filter: object | null, first = 20) =>
      (await run('BulkTasks', { filter, first })).nodes.map(({ id }: { id: string }) => id)
    expect(await listed(null)).toHaveLength(5)
    expect(await listed({ webhookId })).toEqual(own)
    expect(await listed({ webhookId, action: 'RECOVER' }, 2)).toEqual(own.slice(0, 2))
    const { errors } = await api.call(
      tenant.token,
      '{ bulkTasks(filter: { webhookId: "x" }) { nodes { id } } }',
    )
    expect(errors?.[0]?.message).toContain('filter.webhookId must be the id of a webhook: wh_….')
  })

  test.each([
    [{}, 'ids', 'Give either ids, filter or missed, and only one of them.'],
    [{ ids: ['wh_x'] }, 'ids', 'must be the id of a delivery: msg_….'],
    [{ filter: {} }, 'filter', 'filter must have at least one condition.'],
    [
      { filter: { states: ['QUEUED'] } },
      'filter',
      'filter.states must be among RETRYING, SUCCEEDED',
    ],
    [{ filter: { statusClasses: FAILED }, ratePerSecond: 0 }, 'ratePerSecond', 'from 1 to 5,000'],
    [
      { filter: { key: { path: '$.order.id', equals: '1' } } },
      'key',
      'filter.key is only for lists.',
    ],
  ])('is refused for the input %j', async (input, path, message) => {
    const { issues } = await run('RedeliverInBackground', { input })
    expect(issues).toMatchObject([
      { path: expect.arrayContaining([path]), message: expect.stringContaining(message) },
    ])
  })

  test('takes no delivery of another organization by a filter', async () => {
    const input = { filter: { webhookIds: [webhookId] } }
    const other = await api.tenant()
    const canceled = await other.run('bulk-tasks', 'CancelDeliveries', { input })
    expect(canceled).toMatchObject({ count: 0 })
  })

  test('is deleted after the retention of deliveries', async () => {
    const id = await redeliver()
    await change(id)
    await continueTask(id)
    await deleteOldRows(api.database.pool, 'bulk_tasks', 60_000)
    expect(await run('BulkTask', { id })).toMatchObject({ state: 'COMPLETED' })
    await deleteOldRows(api.database.pool, 'bulk_tasks', -60_000)
    expect(await run('BulkTask', { id })).toBeNull()
  })
})
