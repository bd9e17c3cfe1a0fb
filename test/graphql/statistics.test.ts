import { beforeEach, describe, expect, test } from 'vitest'
import { createRecordAttempt } from '../../src/deliveries/attempts/record-attempt.ts'
import { deleteOldRows } from '../../src/run/maintenance.ts'
import { evaluateHealth } from '../../src/webhooks/evaluate-health.ts'
import { rollUpStatistics } from '../../src/webhooks/statistics.ts'
import { attemptOf, type DeliveryRow } from '../support/attempts.ts'
import { type Tenant, useApi } from './support/api.ts'
import { deliveryRow } from './support/rows.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

// The cursor of the statistics belongs to the whole database.
const api = await useApi('own')
let tenant: Tenant
let webhookId: string

beforeEach(async () => {
  await api.database.pool.query(`
    delete from posthorn.webhook_statistics;
    update posthorn.cursors set reached_at = '2000-01-01Z' where name = 'statistics_rollup'`)
  tenant = await api.tenant()
  webhookId = (await tenant.addWebhook()).id
})

/** Records attempts with one statement, each for a different delivery. */
async function attempt(statuses: (number | null)[], durationMs = 12): Promise<void> {
  await tenant.publish(statuses.length)
  const ids = await tenant.deliveryIds()
  const record = createRecordAttempt(api.database.pool)
  const rows = await Promise.all(ids.map((id) => deliveryRow(api.database, id)))
  // In one tick: attempts that come apart are recorded with two statements, in any order.
  await Promise.all(
    statuses.map((status, i) => record(attemptOf(rows[i] as DeliveryRow, status, { durationMs }))),
  )
  await api.database.pool.query(
    'update posthorn.webhook_conditions set next_evaluation_at = now() where next_evaluation_at is not null',
  )
  await evaluateHealth(api.database.pipeline)
}

/** Moves the statistics to the past. */
async function counted(ago: number): Promise<void> {
  await api.database.pool.query(
    `update posthorn.webhook_statistics set bucket = bucket - $2 * interval '1 millisecond'
     where organization_id = $1 and minutes = 1 and bucket > now() - interval '2 minutes'`,
    [tenant.organizationId, ago],
  )
}

const HEALTH = `query ($id: ID!, $window: HealthWindow!) { webhook(id: $id) { health(window: $window) {
  state since failingSince lastSuccessAt lastError behindCause failedDeliveries failureRate onTimeRate oldestWaitingAt
  attempts successRate latency { p50Ms p95Ms p99Ms } } } }`
const STATISTICS = `query ($id: ID!, $since: DateTime!, $until: DateTime, $bucket: BucketUnit!) {
  webhook(id: $id) { statistics(since: $since, until: $until, bucket: $bucket) { ...Counts } }
  statistics(since: $since, until: $until, bucket: $bucket) { ...Counts } }
fragment Counts on StatisticsBucket {
  start attempts succeeded failed failed3xx failed4xx failed5xx failedWithoutResponse successRate latency { p50Ms } }`

async function health(window = 'DAY') {
  return (await tenant.ask(HEALTH, { id: webhookId, window })).webhook.health
}

async function statistics(since: number, bucket: string, until?: number) {
  const data = await tenant.ask(STATISTICS, {
    id: webhookId,
    since: new Date(Date.now() - since).toISOString(),
    until: until === undefined ? null : new Date(Date.now() - until).toISOString(),
    bucket,
  })
  return { webhook: data.webhook.statistics, organization: data.statistics }
}

const sum = (buckets: { attempts: number }[]) =>
  buckets.reduce((n, { attempts }) => n + attempts, 0)

describe('health', () => {
  test('is that of its recent deliveries, and has the last error while it is not healthy', async () => {
    await attempt([204])
    const before = await health()
    expect(before).toMatchObject({ state: 'HEALTHY', failingSince: null, successRate: 1 })
    await attempt([500])
    const first = await health()
    const { lastSuccessAt } = before
    expect(first).toMatchObject({
      ...{ state: 'HEALTHY', lastSuccessAt, lastError: null, failedDeliveries: 1, attempts: 2 },
      ...{ failureRate: 0.5, onTimeRate: 0.5, successRate: 0.5 },
    })
    const { failingSince } = first
    const lastError = 'HTTP 500 from https://example.com'
    await attempt(new Array(9).fill(500))
    const failing = { state: 'FAILING', since: failingSince, failingSince, lastError }
    expect(await health()).toMatchObject(failing)
    await attempt([200])
    const degraded = { state: 'DEGRADED', failingSince: null, lastError, failedDeliveries: 10 }
    expect(await health()).toMatchObject(degraded)
  })

  test('distinguishes latencies to within a bucket', async () => {
    await attempt(new Array(90).fill(200), 25)
    await attempt(new Array(10).fill(200), 4_000)
    const { latency } = await health('HOUR')
    expect(latency.p50Ms).toBeGreaterThanOrEqual(20)
    expect(latency.p50Ms).toBeLessThanOrEqual(30)
    expect(latency.p95Ms).toBeGreaterThanOrEqual(3_000)
    expect(latency.p99Ms).toBeLessThanOrEqual(5_000)
    for (const ms of Object.values(latency)) expect(String(ms)).toMatch(/^\d+(\.\d)?$/)
  })

  test('counts only attempts within the window', async () => {
    for (const ago of [40 * DAY_MS, 20 * DAY_MS, 3 * DAY_MS, 3 * HOUR_MS, 0]) {
      await attempt([200])
      await counted(ago)
    }
    await rollUpStatistics(api.database.pool)
    const counts: number[] = []
    for (const window of ['HOUR', 'DAY', 'WEEK', 'MONTH'])
      counts.push((await health(window)).attempts)
    expect(counts).toEqual([1, 2, 3, 4])
  })
})

describe('statistics', () => {
  test('count each attempt once, by its response', async () => {
    await attempt([200, 201, 302, 404, 404, 500, 600, null])
    const { webhook, organization } = await statistics(60_000, 'MINUTE')
    expect(sum(webhook)).toBe(8)
    expect(webhook.find(({ attempts }: { attempts: number }) => attempts > 0)).toEqual({
      ...{ start: expect.stringMatching(/:00\.000Z$/), attempts: 8, succeeded: 2, failed: 6 },
      ...{ failed3xx: 1, failed4xx: 2, failed5xx: 2, failedWithoutResponse: 1 },
      ...{ successRate: 0.25, latency: { p50Ms: expect.any(Number) } },
    })
    expect(organization).toEqual(webhook)
  })

  test('return every bucket of the time range, in order', async () => {
    const { webhook } = await statistics(30 * DAY_MS, 'DAY')
    expect(webhook).toHaveLength(31)
    expect(webhook[0]).toMatchObject({ attempts: 0, successRate: null, latency: null })
    const starts = webhook.map(({ start }: { start: string }) => start)
    expect(starts).toEqual(starts.toSorted())
    const hour = await statistics(2 * HOUR_MS, 'MINUTE', HOUR_MS)
    expect(hour.webhook.length).toBeGreaterThanOrEqual(60)
  })

  test('are the same before and after minutes are rolled up, and after the minutes are deleted', async () => {
    await attempt([200, 500])
    await counted(3 * HOUR_MS)
    await attempt([200])
    await counted(50 * HOUR_MS)
    await attempt([404])
    const before = await statistics(3 * DAY_MS, 'HOUR')
    expect(sum(before.webhook)).toBe(4)
    expect(before.organization).toEqual(before.webhook)
    await rollUpStatistics(api.database.pool)
    expect(await statistics(3 * DAY_MS, 'HOUR')).toEqual(before)
    expect(await rollUpStatistics(api.database.pool)).toBe(0)
    expect(await deleteOldRows(api.database.pool, 'statistics', 30 * DAY_MS)).toBe(2)
    expect(await statistics(3 * DAY_MS, 'HOUR')).toEqual(before)
    const days = await statistics(3 * DAY_MS, 'DAY')
    expect(sum(days.webhook)).toBe(4)
    expect(sum(days.organization)).toBe(4)
  })

  test('are deleted with the deliveries after the retention', async () => {
    await attempt([200])
    await counted(40 * DAY_MS)
    await rollUpStatistics(api.database.pool)
    expect(await deleteOldRows(api.database.pool, 'statistics', 30 * DAY_MS)).toBe(4)
    expect(sum((await statistics(50 * DAY_MS, 'DAY')).webhook)).toBe(0)
  })

  test('of the organization sum up its webhooks only', async () => {
    await tenant.addWebhook()
    await attempt([200])
    const other = await api.tenant()
    const { webhook, organization } = await statistics(60_000, 'MINUTE')
    expect(sum(organization)).toBe(1)
    const since = new Date(Date.now() - 60_000)
    const data = await other.ask(STATISTICS, { id: webhookId, since, bucket: 'MINUTE' })
    expect(data.webhook).toBeNull()
    expect(sum(data.statistics)).toBe(0)
    expect(webhook).toHaveLength(organization.length)
  })

  test('processes that record for one webhook concurrently lose no count', async () => {
    await tenant.publish(40)
    const ids = await tenant.deliveryIds()
    const recorders = Array.from({ length: 8 }, () => createRecordAttempt(api.database.pool))
    const rows = await Promise.all(ids.map((id) => deliveryRow(api.database, id)))
    await Promise.all(rows.map((row, i) => recorders[i % 8]?.(attemptOf(row, i % 2 ? 200 : 500))))
    expect(await health('HOUR')).toMatchObject({ attempts: 40, successRate: 0.5 })
  })

  test('of a range without a start, of too many buckets, or of minutes of last week are rejected', async () => {
    const ago = (ms: number) => new Date(Date.now() - ms).toISOString()
    const longAgo = { since: ago(3 * DAY_MS), until: ago(3 * DAY_MS - HOUR_MS), bucket: 'MINUTE' }
    for (const [range, message] of [
      [{ since: ago(0), until: ago(DAY_MS), bucket: 'HOUR' }, /^since must be before until\./],
      [{ since: ago(90 * DAY_MS), bucket: 'HOUR' }, /^bucket must divide .* at most 1,500 buckets/],
      [longAgo, /^since must be within the last 48 hours/],
    ] as const) {
      const { errors } = await tenant.call(STATISTICS, { id: webhookId, ...range })
      const extensions = { code: 'BAD_USER_INPUT' }
      const error = { message: expect.stringMatching(message), extensions }
      expect(errors).toMatchObject([error, error])
    }
  })
})
