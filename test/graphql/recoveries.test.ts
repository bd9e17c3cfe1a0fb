import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Scope } from '../../src/access/scope.ts'
import { mintId, parseId } from '../../src/db/ids.ts'
import { updateWebhook } from '../../src/webhooks/webhook.ts'
import {
  addDeliveries,
  addEvents,
  createPartitionsOfRetention,
  finish,
} from '../recoveries/recovery-rows.ts'
import { ALL_SCOPES } from '../support/factories.ts'
import { type Api, openApi } from './support/api.ts'
import { document } from './support/document.ts'
import { addWebhook } from './support/rows.ts'

const RECOVER = document('recoveries', 'RecoverDeliveries')
const CANCEL = document('recoveries', 'CancelRecovery')
const RECOVERY = document('recoveries', 'Recovery')
const NODE = 'query ($id: ID!) { node(id: $id) { __typename id } }'

const DAY_MS = 86_400_000
const at = new Date(Date.now() - DAY_MS)
const since = new Date(at.getTime() - 60_000).toISOString()

let api: Api
let tenant: Awaited<ReturnType<Api['tenant']>>
let webhookId: string

beforeAll(async () => {
  api = await openApi()
  await createPartitionsOfRetention(api.database.pool)
})
beforeEach(async () => {
  tenant = await api.tenant()
  webhookId = (await addWebhook(api, tenant.organizationId)).id
})
afterAll(() => api[Symbol.asyncDispose]())

async function recover(input: object = {}, token = tenant.token) {
  const variables = { input: { webhookId, since, ...input } }
  const { data, errors } = await api.call(token, RECOVER, variables)
  expect(errors).toBeUndefined()
  return data.recoverDeliveries
}

const addMissed = (count: number) =>
  addEvents(api.database.pool, tenant.organizationId, { at, count })

const finished = (id: string) => finish(api.database, parseId('recovery', id) as string)

test('returns the running recovery, which later shows that all is queued', async () => {
  const events = await addMissed(5)
  await addDeliveries(api.database.pool, webhookId, events.slice(0, 2), 'exhausted')
  const { count, countIsExact, recovery } = await recover()
  expect({ count, countIsExact }).toEqual({ count: 5, countIsExact: true })
  expect(recovery).toMatchObject({
    webhookId,
    since,
    include: 'ALL',
    ratePerSecond: 500,
    state: 'RUNNING',
    failure: null,
    total: 5,
    totalIsExact: true,
    redelivered: 0,
    created: 0,
    progress: 0,
    finishedAt: null,
  })
  expect(recovery.id).toMatch(/^rec_/)
  expect(Math.abs(Date.parse(recovery.createdAt) - Date.now())).toBeLessThan(60_000)
  await finished(recovery.id)

  const { data } = await api.call(tenant.token, RECOVERY, { id: recovery.id })
  expect(data.recovery).toMatchObject({
    state: 'DELIVERING',
    redelivered: 2,
    created: 3,
    succeeded: 0,
    unfinished: 5,
    progress: 1,
    finishedAt: null,
    webhook: { id: webhookId, url: 'https://example.com/hook' },
  })
  const { data: found } = await api.call(tenant.token, NODE, { id: recovery.id })
  expect(found.node).toEqual({ __typename: 'Recovery', id: recovery.id })
})

test('a dry run returns the count and no recovery', async () => {
  await addMissed(3)
  expect(await recover({ dryRun: true, include: 'MISSED' })).toEqual({
    __typename: 'RecoverDeliveriesSuccess',
    count: 3,
    countIsExact: true,
    recovery: null,
  })
})

test('null means the default of each field', async () => {
  const nothing = { until: null, include: null, ratePerSecond: null, dryRun: null }
  const { recovery } = await recover(nothing)
  expect(recovery).toMatchObject({ include: 'ALL', ratePerSecond: 500, state: 'RUNNING' })
})

test('a time in the future means now', async () => {
  const { recovery } = await recover({ until: '2999-01-01T00:00:00Z' })
  expect(Date.parse(recovery.until)).toBeLessThanOrEqual(Date.now())
})

test('a canceled recovery shows its progress; one that has queued everything cannot be canceled', async () => {
  await addMissed(3)
  const { recovery } = await recover({ ratePerSecond: 1 })
  const { data } = await api.call(tenant.token, CANCEL, { id: recovery.id })
  expect(data.cancelRecovery.recovery).toMatchObject({ state: 'CANCELED', total: 3, created: 0 })
  expect(data.cancelRecovery.recovery.finishedAt).not.toBeNull()

  const { recovery: next } = await recover()
  await finished(next.id)
  const { data: late } = await api.call(tenant.token, CANCEL, { id: next.id })
  expect(late.cancelRecovery).toEqual({
    __typename: 'ConflictError',
    code: 'conflict',
    message: `The recovery ${next.id} has queued all its deliveries already. Only a recovery that is queueing can be canceled.`,
  })
})

describe('rejected, without starting a recovery', () => {
  const nothingBegun = async () =>
    expect(
      await api.database.prisma.recovery.count({
        where: { organizationId: tenant.organizationId },
      }),
    ).toBe(0)

  test.each([
    [
      'since after until',
      () => ({ since: at, until: new Date(at.getTime() - 1) }),
      ['since', 'invalid_range', /^since must be before until and before now. since is 2/],
    ],
    [
      'since in the time to come',
      () => ({ since: new Date(Date.now() + DAY_MS) }),
      ['since', 'invalid_range', /before now/],
    ],
    [
      'since before what is kept',
      () => ({ since: new Date(Date.now() - 32 * DAY_MS) }),
      ['since', 'past_retention', /kept for 30 days \(POSTHORN_RETENTION\)/],
    ],
    ['no rate', () => ({ ratePerSecond: 0 }), ['ratePerSecond', 'out_of_range', /not 0\.$/]],
    [
      'too high a rate',
      () => ({ ratePerSecond: 5_001 }),
      ['ratePerSecond', 'out_of_range', /^ratePerSecond must be from 1 to 5,000, not 5001\.$/],
    ],
  ] as const)('%s', async (_what, input, [field, code, message]) => {
    const answer = await recover(input())
    expect(answer).toMatchObject({ __typename: 'ValidationError', code: 'invalid' })
    expect(answer.issues).toEqual([
      { path: [field], code, message: expect.stringMatching(message) },
    ])
    await nothingBegun()
  })

  test('all problems are listed', async () => {
    const { issues } = await recover({ since: new Date(Date.now() + DAY_MS), ratePerSecond: -1 })
    expect(issues).toHaveLength(2)
  })

  test('the first day within the retention is not too old', async () => {
    expect(await recover({ since: new Date(Date.now() - 30 * DAY_MS) })).toMatchObject({ count: 0 })
  })

  test.each(['wh_x', mintId('webhook'), mintId('recovery')])('a webhook %s', async (id) => {
    expect(await recover({ webhookId: id })).toMatchObject({ __typename: 'NotFoundError' })
    const { data } = await api.call(tenant.token, CANCEL, { id })
    expect(data.cancelRecovery).toMatchObject({ __typename: 'NotFoundError' })
  })

  test('a disabled webhook, with the remedy; a dry run is allowed', async () => {
    await addMissed(2)
    await updateWebhook(api.deps.webhooks, tenant.organizationId, webhookId, { enabled: false })
    expect(await recover()).toMatchObject({
      __typename: 'ConflictError',
      message: expect.stringContaining(`${webhookId} is disabled`),
    })
    expect(await recover({ dryRun: true })).toMatchObject({ count: 2 })
    await nothingBegun()
  })

  test('while another recovery runs, whose id is in the error', async () => {
    const { recovery } = await recover()
    expect(await recover()).toMatchObject({
      __typename: 'ConflictError',
      message: expect.stringContaining(recovery.id),
    })
  })
})

test('another organization cannot find, cancel or start recoveries', async () => {
  await addMissed(2)
  const { recovery } = await recover()
  const other = await api.tenant()
  const { data } = await api.call(
    other.token,
    'query ($id: ID!) { recovery(id: $id) { id } node(id: $id) { id } }',
    { id: recovery.id },
  )
  expect(data).toEqual({ recovery: null, node: null })
  const { data: canceled } = await api.call(other.token, CANCEL, { id: recovery.id })
  expect(canceled.cancelRecovery).toMatchObject({ __typename: 'NotFoundError' })
  for (const dryRun of [true, false]) {
    const rejected = await recover({ dryRun }, other.token)
    expect(rejected).toMatchObject({ __typename: 'NotFoundError' })
  }
  const { data: own } = await api.call(tenant.token, RECOVERY, { id: recovery.id })
  expect(own.recovery.state).toBe('RUNNING')
})

describe('scopes', () => {
  const keyWithout = async (scope: Scope) => {
    const key = await api.tenant(ALL_SCOPES.filter((other) => other !== scope))
    await api.database.prisma.apiKey.updateMany({
      where: { id: key.keyId },
      data: { organizationId: tenant.organizationId },
    })
    return key.token
  }
  const lacking = (scope: Scope) => [
    { message: expect.stringContaining(scope), extensions: { code: 'FORBIDDEN' } },
  ]

  test.each([
    ['recovery', '{ recovery(id: "rec_x") { id } }'],
    ['recoveries', '{ webhooks { nodes { recoveries { nodes { id } } } } }'],
  ])('%s needs deliveries:read', async (_field, query) => {
    const { errors } = await api.call(await keyWithout('deliveries:read'), query)
    expect(errors).toMatchObject(lacking('deliveries:read'))
    expect((await api.call(tenant.token, query)).errors).toBeUndefined()
  })

  test('node needs deliveries:read, and the webhook of a recovery webhooks:read', async () => {
    const { recovery } = await recover()
    const rejected = await api.call(await keyWithout('deliveries:read'), NODE, { id: recovery.id })
    expect(rejected.errors).toMatchObject(lacking('deliveries:read'))
    const blind = await api.call(await keyWithout('webhooks:read'), RECOVERY, { id: recovery.id })
    expect(blind.errors).toMatchObject(lacking('webhooks:read'))
    expect(blind.data.recovery).toMatchObject({ id: recovery.id, webhookId, webhook: null })
  })

  test('recovering and canceling need deliveries:write', async () => {
    const token = await keyWithout('deliveries:write')
    const started = await api.call(token, RECOVER, { input: { webhookId, since } })
    expect(started.errors).toMatchObject(lacking('deliveries:write'))
    const canceled = await api.call(token, CANCEL, { id: 'rec_x' })
    expect(canceled.errors).toMatchObject(lacking('deliveries:write'))
  })
})

test('the recoveries of webhooks are listed newest first, in pages, with two statements', async () => {
  const { id: second } = await addWebhook(api, tenant.organizationId)
  const started: Record<string, string[]> = { [webhookId]: [], [second]: [] }
  for (const id of [webhookId, second, webhookId, webhookId]) {
    const { recovery } = await recover({ webhookId: id })
    await finished(recovery.id)
    started[id]?.unshift(recovery.id)
  }
  const query = `query ($first: Int, $after: String, $last: Int, $before: String) {
    webhooks { nodes { id recoveries(first: $first, after: $after, last: $last, before: $before) {
      nodes { id webhook { id } } pageInfo { endCursor startCursor hasNextPage hasPreviousPage } } } } }`
  const page = async (args: object) => {
    const { data, errors } = await api.call(tenant.token, query, { ...args })
    expect(errors).toBeUndefined()
    return data.webhooks.nodes.map(
      ({ recoveries }: { recoveries: { nodes: { id: string }[]; pageInfo: object } }) => ({
        ids: recoveries.nodes.map(({ id }) => id),
        ...recoveries.pageInfo,
      }),
    )
  }
  const [first, other] = await page({ first: 2 })
  expect(first).toMatchObject({ ids: started[webhookId]?.slice(0, 2), hasNextPage: true })
  expect(other).toMatchObject({ ids: started[second], hasNextPage: false })
  expect(api.statements.list.filter((name) => name.includes('recover'))).toEqual([
    'find_recoveries_of_each_desc',
    'select recoveries',
  ])
  const [next] = await page({ first: 2, after: first.endCursor })
  expect(next).toMatchObject({ ids: started[webhookId]?.slice(2), hasNextPage: false })
  const [last] = await page({ last: 2, before: next.startCursor })
  expect(last).toMatchObject({ ids: first.ids, hasPreviousPage: false })
})
