import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { mintId, parseId, publicId } from '../../src/db/ids.ts'
import { findFailureGroups } from '../../src/deliveries/attempts/failure-group.graphql.ts'
import { useApi, useTenant } from './support/api.ts'
import { RETRY, recordAttempt } from './support/rows.ts'

const api = await useApi()
const tenant = useTenant(api)
let webhooks: string[]

beforeEach(async () => {
  webhooks = []
  for (let i = 0; i < 2; i++) webhooks.push((await tenant.addWebhook()).id)
  await tenant.publish()
})

const HOUR_MS = 3_600_000
const hoursAgo = (hours: number) => new Date(Date.now() - hours * HOUR_MS)

/** Records attempts of a webhook with these statuses, and returns their ids. */
async function record(webhook: string | undefined, ...statuses: (number | null)[]) {
  const { id } = await api.database.prisma.delivery.findFirstOrThrow({
    where: { webhookId: parseId('webhook', webhook as string) as string },
  })
  const ids: string[] = []
  for (const status of statuses) {
    const given = status === 204 ? {} : RETRY
    ids.push(await recordAttempt(api.database, publicId('delivery', id), status, given))
  }
  return ids
}

async function groups(filter: object = { since: hoursAgo(1) }, first?: number) {
  const { failures } = await tenant.ask(
    `query ($filter: FailureFilter!, $first: Int) { failures(filter: $filter, first: $first) {
      webhookId webhook { id } cause count countIsExact firstSeenAt lastSeenAt sample { id cause recordedAt } } }`,
    { filter, first },
  )
  return failures
}

test('failures are grouped by webhook and cause, the largest groups first', async () => {
  const [one, two] = webhooks
  await record(one, 503, 502, 503, null)
  const [, last] = await record(two, 503, 503, 204)
  const third = await record(one, 503)
  const nodes = await groups()
  expect(nodes).toMatchObject([
    { webhookId: one, webhook: { id: one }, cause: '503', count: 3, sample: { id: third[0] } },
    { webhookId: two, cause: '503', count: 2, countIsExact: true, sample: { id: last } },
    { webhookId: one, cause: '502', count: 1, sample: { cause: '502' } },
    { webhookId: one, cause: 'response_timed_out', count: 1 },
  ])
  for (const { firstSeenAt, lastSeenAt, sample, count } of nodes) {
    expect(lastSeenAt).toBe(sample.recordedAt)
    expect(Date.parse(firstSeenAt)).toBeLessThanOrEqual(Date.parse(lastSeenAt))
    if (count === 1) expect(firstSeenAt).toBe(lastSeenAt)
  }
  expect(api.statements.list).toHaveLength(4)
  expect(await groups({ since: hoursAgo(1) }, 1)).toHaveLength(1)
})

test('failures are selected by time and webhook', async () => {
  const [one, two] = webhooks
  await record(one, 500, 500)
  const between = new Date()
  await record(one, 500, 404)
  await record(two, 500)
  const found = async (filter: object) =>
    (await groups(filter)).map(
      ({ webhookId, cause, count }: Record<string, unknown>) =>
        `${webhookId === one ? 'one' : 'two'} ${cause} ${count}`,
    )
  expect(await found({ since: between })).toEqual(['one 404 1', 'one 500 1', 'two 500 1'])
  expect(await found({ since: hoursAgo(30), until: between })).toEqual(['one 500 2'])
  expect(await found({ since: hoursAgo(1), webhookId: one })).toEqual(['one 500 3', 'one 404 1'])
  expect(await found({ since: hoursAgo(1), webhookId: mintId('webhook') })).toEqual([])
  expect(await found({ since: new Date(Date.now() + HOUR_MS) })).toEqual([])
})

test('without an end, the failures of this moment count, also if the clock of this process is late', async () => {
  await record(webhooks[0], 500)
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 60_000 })
  onTestFinished(() => void vi.useRealTimers())
  expect(await groups()).toMatchObject([{ count: 1 }])
})

test('counting stops at its bound, and says so', async () => {
  await record(webhooks[0], 500)
  await api.database.pool.query(
    `insert into posthorn.attempts (id, delivery_id, organization_id, webhook_id, number, started_at, succeeded,
       duration_ms, status, request_url)
     select posthorn.uuid_v7(), delivery_id, organization_id, webhook_id, 2, now(), false, 1, 500 + i % 2, ''
     from posthorn.attempts, generate_series(1, 50010) as i where organization_id = $1`,
    [tenant.organizationId],
  )
  const { pool } = api.database
  const found = await findFailureGroups(pool, tenant.organizationId, { since: hoursAgo(1) }, 10)
  const group = { cause: expect.any(String), count: 25_000, countIsExact: false }
  expect(found).toMatchObject([group, group])
})
