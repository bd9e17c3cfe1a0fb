import { beforeEach, describe, expect, test } from 'vitest'
import { parseId } from '../../../src/db/ids.ts'
import { deleteOldRows } from '../../../src/run/maintenance.ts'
import { putOnHold } from '../../../src/scheduling/circuit-breaker.ts'
import { endHold } from '../../../src/webhooks/end-hold.ts'
import { evaluateHealth } from '../../../src/webhooks/evaluate-health.ts'
import { updateWebhook } from '../../../src/webhooks/save-webhook.ts'
import { useApi, useTenant } from '../../graphql/support/api.ts'
import { recordAttempt } from '../../graphql/support/rows.ts'

let publicId: string
let webhookId: string

// The webhooks of the whole database are evaluated.
const api = await useApi('own')
const { database } = api
const tenant = useTenant(api)
beforeEach(async () => {
  publicId = (await tenant.addWebhook()).id
  webhookId = parseId('webhook', publicId) as string
})

const enable = (enabled: boolean) =>
  updateWebhook(api.deps.webhooks, tenant.organizationId, publicId, { enabled })

async function attempt(...statuses: number[]): Promise<void> {
  for (const status of statuses) {
    await tenant.publish()
    await recordAttempt(database, (await tenant.deliveryIds())[0], status)
  }
}

/** Evaluates the webhooks as if their next evaluation had come. */
async function evaluate(): Promise<void> {
  await database.pool.query(
    'update posthorn.webhook_conditions set next_evaluation_at = now() where next_evaluation_at is not null',
  )
  await evaluateHealth(database.pipeline)
}

/** Oldest first. */
const incidents = () =>
  database.prisma.incident.findMany({ where: { webhookId }, orderBy: { id: 'asc' } })

describe('an incident', () => {
  test('opens with the first sign of trouble, follows its state, and is resolved with the recovery', async () => {
    await attempt(503)
    expect(await incidents()).toEqual([])
    await evaluate()
    const condition = await database.prisma.webhookState.findFirstOrThrow({
      where: { webhookId },
    })
    expect(await incidents()).toMatchObject([
      {
        organizationId: tenant.organizationId,
        webhookId,
        webhookState: 'failing',
        cause: '503',
        openedAt: condition.failingSince,
        resolvedAt: null,
        severity: 3,
      },
    ])
    await attempt(404)
    await evaluate()
    await putOnHold(database.pipeline, webhookId)
    expect(await incidents()).toMatchObject([
      { webhookState: 'on_hold', cause: '404', severity: 4 },
    ])
    await attempt(200)
    await endHold(database.pipeline, webhookId)
    await evaluate()
    expect(await incidents()).toMatchObject([
      { webhookState: 'on_hold', resolvedAt: expect.any(Date), severity: 0 },
    ])
    await evaluate()
    expect(await incidents()).toHaveLength(1)
  })

  test('of a webhook that is in trouble again is a new one, which begins after the last', async () => {
    await attempt(503)
    await evaluate()
    await attempt(200)
    await evaluate()
    await attempt(...new Array(10).fill(500))
    await evaluate()
    const [first, second, ...others] = await incidents()
    expect(others).toEqual([])
    expect(first?.resolvedAt).not.toBeNull()
    expect(second).toMatchObject({ cause: '500', resolvedAt: null })
    expect(Number(second?.openedAt)).toBeGreaterThanOrEqual(Number(first?.resolvedAt))
  })

  test('is resolved when the webhook is disabled, and another opens if it still fails when enabled', async () => {
    await attempt(503)
    await evaluate()
    await enable(false)
    expect(await incidents()).toMatchObject([{ resolvedAt: expect.any(Date) }])
    await evaluate()
    expect(await incidents()).toHaveLength(1)
    await enable(true)
    expect(await incidents()).toMatchObject([
      { resolvedAt: expect.any(Date) },
      { resolvedAt: null },
    ])
  })

  test('opens for a wait that the endpoint asked for only after a minute', async () => {
    const hold = (agoMs: number) =>
      database.pool.query(
        `insert into posthorn.webhook_schedules (webhook_id, backlog_since, on_hold_since, on_hold_reason, next_probe_at)
         values ($1, now(), now() - $2 * interval '1 millisecond', 'retry_after', now() + interval '1 hour')
         on conflict (webhook_id) do update set on_hold_since = excluded.on_hold_since`,
        [webhookId, agoMs],
      )
    await hold(30_000)
    await evaluateHealth(database.pipeline)
    await evaluate()
    expect(await incidents()).toEqual([])
    await hold(61_000)
    await evaluate()
    expect(await incidents()).toMatchObject([{ webhookState: 'on_hold', cause: null }])
  })

  test('is kept for the retention after it was resolved', async () => {
    await attempt(503)
    await evaluate()
    await deleteOldRows(database.pool, 'incidents', -1_000)
    await attempt(200)
    await evaluate()
    await deleteOldRows(database.pool, 'incidents', 60_000)
    expect(await incidents()).toHaveLength(1)
    await deleteOldRows(database.pool, 'incidents', -30_000)
    expect(await incidents()).toEqual([])
  })
})

describe('two processes', () => {
  test('that find the same trouble open one incident, with the state that holds in the end', async () => {
    await attempt(503)
    const other = await database.pool.connect()
    await other.query('begin')
    await putOnHold(other, webhookId)
    const evaluating = evaluate()
    await other.query('commit')
    other.release()
    await evaluating
    expect(await incidents()).toMatchObject([{ webhookState: 'on_hold', resolvedAt: null }])
  })
})
