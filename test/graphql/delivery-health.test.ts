import { describe, expect, test } from 'vitest'
import { parseId, publicId } from '../../src/db/ids.ts'
import { lowerBoundAt } from '../../src/lib/uuid-v7.ts'
import { putOnHold } from '../../src/scheduling/circuit-breaker.ts'
import { evaluateHealth } from '../../src/webhooks/evaluate-health.ts'
import { updateWebhook } from '../../src/webhooks/save-webhook.ts'
import { JOINED } from '../support/factories.ts'
import { useApi, useTenant } from './support/api.ts'
import { recordAttempt } from './support/rows.ts'

const HOUR_MS = 3_600_000

// One test reads the organizations of the whole database.
const api = await useApi('own')
const tenant = useTenant(api)

const FIELDS = `deliveryHealth { onTimeRate firstAttemptDelay { p50Ms p95Ms } responseTime { p50Ms }
  waiting { reason count oldestAt } webhooks { state count } }`

const health = async () => (await tenant.ask(`{ ${FIELDS} }`)).deliveryHealth

const uuidOf = (id: string) => parseId('webhook', id) as string

/** Deliveries that were created `agoMs` ago. */
async function addOld(id: string, agoMs: number, count: number, columns: string): Promise<void> {
  const from = lowerBoundAt(new Date(Date.now() - agoMs))
  await api.database.pool.query(
    `insert into posthorn.deliveries (id, organization_id, webhook_id, event_id, event_type, max_attempts,
       next_attempt_at, parked_at, parked_reason, attempt_count, is_backfilled)
     select id, $1, $2, id, $3, 10, ${columns} from generate_series(1, $5::int) as i,
       lateral (select (left($4, 24) || lpad(to_hex(i + $6::int), 12, '0'))::uuid as id) as new`,
    [tenant.organizationId, uuidOf(id), JOINED, from, count, Math.floor(Math.random() * 1e9)],
  )
}

const PARKED = (reason: string) => `null, now(), '${reason}', 0, false`

describe('the health of deliveries', () => {
  test('tells our delay from the response time, and counts deliveries, not attempts', async () => {
    await tenant.addWebhook()
    await tenant.publish(10)
    const ids = await tenant.deliveryIds()
    const record = (id: string, status: number, given: object) =>
      recordAttempt(api.database, id, status, given)
    for (const [i, id] of ids.entries()) {
      await record(id, i < 6 ? 200 : 500, { queuedMs: 300, durationMs: 4_000 })
    }
    const first = await health()
    expect(first).toMatchObject({ onTimeRate: 0.6, webhooks: [{ state: 'HEALTHY', count: 1 }] })
    expect(first.firstAttemptDelay.p95Ms).toBeGreaterThanOrEqual(300)
    expect(first.firstAttemptDelay.p95Ms).toBeLessThanOrEqual(500)
    expect(first.responseTime.p50Ms).toBeGreaterThanOrEqual(3_000)
    // Attempts of retries change the response time alone.
    for (const id of ids.slice(6)) {
      await record(id, 500, { queuedMs: 90_000, next: { kind: 'parked' } })
    }
    const second = await health()
    expect(second.onTimeRate).toBe(0.6)
    expect(second.firstAttemptDelay).toEqual(first.firstAttemptDelay)
  })

  test('gets worse with each delivery that waits for a webhook on hold', async () => {
    const ids = [await tenant.addWebhook(), await tenant.addWebhook(), await tenant.addWebhook()]
    await tenant.publish(1)
    const [held, ...others] = await api.database.prisma.delivery.findMany({
      where: { organizationId: tenant.organizationId },
    })
    for (const { id } of others) await recordAttempt(api.database, publicId('delivery', id), 200)
    await api.database.pool.query(
      `update posthorn.deliveries set parked_at = now(), parked_reason = 'on_hold', next_attempt_at = null
       where id = $1`,
      [held?.id],
    )
    await putOnHold(api.database.pool, held?.webhookId as string)
    // It may still arrive within its minute.
    const waiting = (count: number) => [{ reason: 'ON_HOLD', count }]
    expect(await health()).toMatchObject({ onTimeRate: 1, waiting: waiting(1) })
    const broken = ids.find(({ id }) => uuidOf(id) === held?.webhookId)
    await addOld(broken?.id as string, 2 * HOUR_MS, 2, PARKED('on_hold'))
    await evaluateHealth(api.database.pipeline)
    const worse = await health()
    expect(worse).toMatchObject({ onTimeRate: 0.5, waiting: waiting(3) })
    expect(
      worse.webhooks.toSorted((a: { count: number }, b: { count: number }) => a.count - b.count),
    ).toEqual([
      { state: 'ON_HOLD', count: 1 },
      { state: 'HEALTHY', count: 2 },
    ])
  })

  test('splits what waits by reason, with the oldest of each', async () => {
    const add = async () => (await tenant.addWebhook()).id
    const [limited, ordered, slow, off] = [await add(), await add(), await add(), await add()]
    const update = (id: string, changes: object) =>
      updateWebhook(api.deps.webhooks, tenant.organizationId, id, changes)
    await update(limited, { rateLimitPerSecond: 5 })
    await update(ordered, { ordered: true })
    await addOld(limited, 23 * HOUR_MS, 14, PARKED('rate_limit'))
    await addOld(ordered, HOUR_MS, 3, PARKED('ordered'))
    await addOld(slow, HOUR_MS, 2, PARKED('concurrency_limit'))
    await addOld(off, HOUR_MS, 1, PARKED('disabled'))
    await update(off, { enabled: false })
    await addOld(slow, 5 * HOUR_MS, 4, "now() + interval '1 hour', null, null, 2, true")
    await addOld(slow, 3 * HOUR_MS, 5, "now() - interval '3 hours', null, null, 0, true")
    // Just released, so about to be sent.
    await addOld(slow, 3 * HOUR_MS, 6, 'now(), null, null, 0, true')
    await api.database.pool.query(
      `insert into posthorn.webhook_schedules (webhook_id, backlog_since)
       select unnest($1::uuid[]), now() on conflict do nothing`,
      [[limited, ordered, slow, off].map(uuidOf)],
    )
    await evaluateHealth(api.database.pipeline)
    const { waiting } = await health()
    const hours = (oldestAt: string) => Math.round((Date.now() - Date.parse(oldestAt)) / HOUR_MS)
    const rows: { reason: string; count: number; oldestAt: string }[] = waiting
    expect(rows.map((one) => [one.reason, one.count, hours(one.oldestAt)])).toEqual([
      ['DISABLED', 1, 1],
      ['RATE_LIMIT', 14, 23],
      ['CONCURRENCY_LIMIT', 2, 3],
      ['ORDERED', 3, 1],
      ['RETRY', 4, 5],
      ['CAPACITY', 5, 3],
    ])
    const data = await tenant.ask(
      '{ webhooks(orderBy: ATTENTION_FIRST, first: 1) { nodes { id health { state behindCause oldestWaitingAt onTimeRate } } } }',
    )
    const [worst] = data.webhooks.nodes
    expect(worst).toMatchObject({
      id: limited,
      health: { state: 'BEHIND', behindCause: 'RATE_LIMIT', onTimeRate: 0 },
    })
    expect(hours(worst.health.oldestWaitingAt)).toBe(23)
  })
})

test('an operator reads the organizations by damage, each with its figures, in few statements', async () => {
  await api.database.pool.query('delete from posthorn.webhooks')
  const operator = await api.tenant(['admin'])
  const calm = await api.tenant()
  const [held, failing, worse] = [await api.tenant(), await api.tenant(), await api.tenant()]
  const add = async ({ addWebhook }: typeof calm) => uuidOf((await addWebhook()).id)
  await add(calm)
  await putOnHold(api.database.pool, await add(held))
  const condition = (webhookId: string) =>
    api.database.pool.query(
      `insert into posthorn.webhook_conditions (webhook_id, state) values ($1, 'failing')`,
      [webhookId],
    )
  await condition(await add(failing))
  await condition(await add(worse))
  await condition(await add(worse))
  const list = async (args: string) => {
    const data = await operator.ask(
      `{ organizations(orderBy: DAMAGE_FIRST, ${args}) { nodes { id ${FIELDS} } pageInfo { endCursor } } }`,
    )
    return data.organizations
  }
  const first = await list('first: 2')
  const damaged = ({ publicOrganizationId }: typeof calm, state: string, count: number) => ({
    id: publicOrganizationId,
    deliveryHealth: { webhooks: [{ state, count }] },
  })
  expect(first.nodes).toMatchObject([damaged(held, 'ON_HOLD', 1), damaged(worse, 'FAILING', 2)])
  // One for each figure, and not for each organization.
  expect(api.statements.list).toHaveLength(9)
  const second = await list(`first: 1, after: "${first.pageInfo.endCursor}"`)
  expect(second.nodes).toMatchObject([{ id: failing.publicOrganizationId }])
})
