import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { parseId, publicId } from '../../src/db/ids.ts'
import { deleteOldBacklogSamples, sampleBacklogs } from '../../src/scheduling/backlog-samples.ts'
import { putOnHold } from '../../src/scheduling/circuit-breaker.ts'
import { endHold } from '../../src/webhooks/end-hold.ts'
import { deleteOldHolds } from '../../src/webhooks/webhook-changes.ts'
import { type Api, openApi } from '../graphql/support/api.ts'
import { document } from '../graphql/support/document.ts'
import { addWebhook, publish } from '../graphql/support/rows.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

let api: Api
let tenant: Awaited<ReturnType<Api['tenant']>>
let webhookId: string

beforeAll(async () => {
  api = await openApi()
  tenant = await api.tenant()
  webhookId = (await addWebhook(api, tenant.organizationId)).id
})
afterAll(() => api[Symbol.asyncDispose]())

test('the backlog of each minute is counted, of a webhook and of the organization', async () => {
  const at = new Date(Math.floor(Date.now() / HOUR_MS) * HOUR_MS)
  expect(await sampleBacklogs(api.database.pool, at)).toBe(0)
  await putOnHold(api.database.pool, uuidOf(webhookId))
  await publish(api, tenant.organizationId, 3)
  expect(await sampleBacklogs(api.database.pool, at)).toBe(1)
  // A second process in the same minute.
  expect(await sampleBacklogs(api.database.pool, at)).toBe(0)
  await publish(api, tenant.organizationId, 2)
  await sampleBacklogs(api.database.pool, new Date(at.getTime() + 5 * MINUTE_MS))

  const range = { since: at, until: new Date(at.getTime() + HOUR_MS) }
  expect(await waitingIn({ ...range, bucket: 'HOUR' })).toEqual({ webhook: [5], organization: [5] })
  const minutes = await waitingIn({ ...range, bucket: 'MINUTE' })
  expect(minutes.webhook.slice(0, 7)).toEqual([3, null, null, null, null, 5, null])
  expect(minutes.organization).toEqual(minutes.webhook)
})

test('a minute without a backlog has a count of 0, and a minute in which nothing was counted has none', async () => {
  const at = new Date(Math.floor(Date.now() / HOUR_MS) * HOUR_MS - 2 * HOUR_MS)
  const idle = await addWebhook(api, tenant.organizationId)
  await sampleBacklogs(api.database.pool, at)
  const range = { since: at, until: new Date(at.getTime() + 2 * HOUR_MS) }
  const { webhook } = await waitingIn({ ...range, id: idle.id, bucket: 'MINUTE' })
  expect(webhook.slice(0, 2)).toEqual([0, null])
  expect((await waitingIn({ ...range, id: idle.id, bucket: 'HOUR' })).webhook).toEqual([0, null])
})

test('another organization sees none of it, and a range without time is rejected', async () => {
  const stranger = await api.tenant()
  const { data } = await api.call(stranger.token, HISTORY, {
    id: webhookId,
    since: new Date(Date.now() - HOUR_MS),
    bucket: 'HOUR',
  })
  expect(data.webhook).toBeNull()
  expect(data.backlogHistory.some(({ waiting }: Bucket) => (waiting ?? 0) > 0)).toBe(false)
  const now = new Date()
  const answer = await api.call(tenant.token, HISTORY, {
    id: webhookId,
    since: now,
    until: new Date(now.getTime() - DAY_MS),
    bucket: 'HOUR',
  })
  expect(answer.errors?.[0]?.message).toContain('since must be before until')
})

test('samples past two days are kept for each hour, and past retention not at all', async () => {
  const now = new Date(Math.floor(Date.now() / HOUR_MS) * HOUR_MS)
  await api.database.pool.query('delete from posthorn.backlog_samples')
  for (const ago of [0, 3 * DAY_MS, 3 * DAY_MS - 7 * MINUTE_MS, 31 * DAY_MS]) {
    await sampleBacklogs(api.database.pool, new Date(now.getTime() - ago))
  }
  expect(await deleteOldBacklogSamples(api.database.pool, 30 * DAY_MS)).toBe(2)
  const { rows } = await api.database.pool.query(
    'select sampled_at as at from posthorn.backlog_samples order by 1',
  )
  expect(rows.map(({ at }) => now.getTime() - at.getTime())).toEqual([3 * DAY_MS, 0])
  const { rows: samplings } = await api.database.pool.query(
    `select sampled_at as at from posthorn.backlog_samplings where sampled_at < now() - interval '1 day' order by 1`,
  )
  expect(samplings.map(({ at }) => now.getTime() - at.getTime())).toEqual([3 * DAY_MS])
})

test('the changes, rotations and holds of a webhook are listed, newest first', async () => {
  const { id } = await addWebhook(api, tenant.organizationId)
  const run = async (name: string, variables: object) => {
    const { errors } = await api.call(tenant.token, document('webhooks', name), variables as never)
    expect(errors).toBeUndefined()
  }
  await run('UpdateWebhook', { id, input: { description: 'Changed' } })
  await run('UpdateWebhook', { id, input: { enabled: false } })
  await run('UpdateWebhook', { id, input: { enabled: true } })
  await run('RotateSigningSecret', { id })
  await putOnHold(api.database.pool, uuidOf(id))
  await endHold(api.database.pool, uuidOf(id))
  expect(await changesOf(id)).toEqual([
    'HOLD_ENDED',
    'PUT_ON_HOLD',
    'SECRET_ROTATED',
    'ENABLED',
    'DISABLED',
    'UPDATED',
    'CREATED',
  ])
  expect(await changesOf(id, new Date(Date.now() + HOUR_MS))).toEqual([])
  expect(await changesOf(webhookId)).toEqual(['PUT_ON_HOLD', 'CREATED'])
  const [hourAgo, dayAgo] = [HOUR_MS, DAY_MS].map((ms) => new Date(Date.now() - ms))
  expect(await changesOf(webhookId, dayAgo, hourAgo)).toEqual([])
})

test('without an end, the changes of this moment count, also if the clock of this process is late', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - MINUTE_MS })
  onTestFinished(() => void vi.useRealTimers())
  expect(await changesOf(webhookId)).toEqual(['PUT_ON_HOLD', 'CREATED'])
})

test('a hold is deleted once it ended before the retention; a present one stays', async () => {
  expect(await deleteOldHolds(api.database.pool, 0, new Date(Date.now() + DAY_MS))).toBe(1)
  const { rows } = await api.database.pool.query(
    'select webhook_id as id from posthorn.webhook_holds',
  )
  expect(rows.map(({ id }) => publicId('webhook', id))).toEqual([webhookId])
})

interface Bucket {
  readonly waiting: number | null
}

const HISTORY = `query ($id: ID!, $since: DateTime!, $until: DateTime, $bucket: BucketUnit!) {
  webhook(id: $id) { backlogHistory(since: $since, until: $until, bucket: $bucket) { start waiting } }
  backlogHistory(since: $since, until: $until, bucket: $bucket) { start waiting } }`

async function waitingIn(range: object) {
  const { data, errors } = await api.call(tenant.token, HISTORY, { id: webhookId, ...range })
  expect(errors).toBeUndefined()
  const counts = (buckets: readonly Bucket[]) => buckets.map(({ waiting }) => waiting)
  return {
    webhook: counts(data.webhook.backlogHistory),
    organization: counts(data.backlogHistory),
  }
}

async function changesOf(
  id: string,
  since = new Date(Date.now() - HOUR_MS),
  until: Date | null = null,
): Promise<string[]> {
  const { data } = await api.call(
    tenant.token,
    `query ($id: ID!, $since: DateTime!, $until: DateTime) {
      webhook(id: $id) { changes(since: $since, until: $until) { at kind } } }`,
    { id, since, until },
  )
  return data.webhook.changes.map(({ kind }: { kind: string }) => kind)
}

const uuidOf = (id: string) => parseId('webhook', id) as string
