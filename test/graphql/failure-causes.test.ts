import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { parseId, publicId } from '../../src/db/ids.ts'
import { createRecordAttempt } from '../../src/deliveries/attempts/record-attempt.ts'
import { attemptOf, SENDER } from '../support/attempts.ts'
import { type Api, openApi } from './support/api.ts'
import { addWebhook, deliveryRow, publish } from './support/rows.ts'

let api: Api
let tenant: Awaited<ReturnType<Api['tenant']>>
let one: string
let two: string

beforeAll(async () => {
  api = await openApi()
})
beforeEach(async () => {
  tenant = await api.tenant()
  one = (await addWebhook(api, tenant.organizationId)).id
  two = (await addWebhook(api, tenant.organizationId)).id
  await publish(api, tenant.organizationId)
})
afterAll(() => api[Symbol.asyncDispose]())

const RETRY = { next: { kind: 'retry', delayMs: 60_000 } } as const
const HOUR_MS = 3_600_000
const hoursAgo = (hours: number) => new Date(Date.now() - hours * HOUR_MS)

async function record(webhook: string, ...statuses: (number | null)[]): Promise<void> {
  const { id } = await api.database.prisma.delivery.findFirstOrThrow({
    where: { webhookId: parseId('webhook', webhook) as string },
  })
  for (const status of statuses) {
    const row = await deliveryRow(api.database, publicId('delivery', id))
    const attempt = attemptOf(row, status, status === 204 ? {} : RETRY)
    await createRecordAttempt(api.database.pool, SENDER)(attempt)
  }
}

const CAUSES = `query ($filter: FailureGroupFilter!, $bucket: BucketUnit!) {
  failureCauses(filter: $filter, bucket: $bucket) { countIsExact buckets { start cause count } } }`

async function causes(filter: object = { since: hoursAgo(1) }, token = tenant.token) {
  return await api.call(token, CAUSES, { filter, bucket: 'DAY' })
}

/** The counts of each cause over all buckets. */
function totals(data: { failureCauses: { buckets: { cause: string; count: number }[] } }) {
  const counts: Record<string, number> = {}
  for (const { cause, count } of data.failureCauses.buckets) {
    counts[cause] = (counts[cause] ?? 0) + count
  }
  return counts
}

test('failures are counted by cause in each bucket, of all webhooks or of one; successes are not', async () => {
  await record(one, 503, 502, 503, null, 204)
  await record(two, 503, 404)
  const { data, errors } = await causes()
  expect(errors).toBeUndefined()
  expect(data.failureCauses.countIsExact).toBe(true)
  const noResponse = Object.keys(totals(data)).find((cause) => !/^\d/.test(cause)) as string
  expect(totals(data)).toEqual({ '404': 1, '502': 1, '503': 3, [noResponse]: 1 })
  for (const { start } of data.failureCauses.buckets) expect(start).toMatch(/T00:00:00\.000Z$/)
  const ofTwo = await causes({ since: hoursAgo(1), webhookId: two })
  expect(totals(ofTwo.data)).toEqual({ '404': 1, '503': 1 })
})

test('a range without failures, and another organization, have none', async () => {
  await record(one, 503)
  const past = await causes({ since: hoursAgo(72), until: hoursAgo(48) })
  expect(past.data.failureCauses).toEqual({ countIsExact: true, buckets: [] })
  const stranger = await api.tenant()
  expect(totals((await causes({ since: hoursAgo(1) }, stranger.token)).data)).toEqual({})
})

test('a wrong range and a wrong id are rejected by name', async () => {
  const reversed = await causes({ since: hoursAgo(1), until: hoursAgo(48) })
  expect(reversed.errors?.[0]?.message).toContain('since must be before until')
  const unknown = await causes({ since: hoursAgo(1), webhookId: 'evt_x' })
  expect(unknown.errors?.[0]?.message).toContain('must be the id of a webhook')
})
