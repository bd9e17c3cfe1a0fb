import { beforeEach, describe, expect, test } from 'vitest'
import { createRecordAttempt } from '../../src/deliveries/attempts/record-attempt.ts'
import { backfillIndex } from '../../src/deliveries/backfill-index.ts'
import { createCatalogue } from '../../src/event-types/event-type.ts'
import { createPublishEvents } from '../../src/events/publish-events.ts'
import { lowerBoundAt } from '../../src/lib/uuid-v7.ts'
import { putOnHold } from '../../src/scheduling/circuit-breaker.ts'
import { endHold } from '../../src/webhooks/end-hold.ts'
import { evaluateHealth } from '../../src/webhooks/evaluate-health.ts'
import { attemptOf } from '../support/attempts.ts'
import { countRows } from '../support/count-rows.ts'
import { useTestDatabase } from '../support/database.ts'
import { createTenant, JOINED, subscribe } from '../support/factories.ts'
import { until } from '../support/until.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

let organizationId: string
let webhookId: string

const database = await useTestDatabase()
const record = createRecordAttempt(database.pipeline)
const publishEvents = createPublishEvents(database.pool, createCatalogue(database.pool))
beforeEach(async () => {
  organizationId = (await createTenant(database.prisma)).organizationId
  await subscribe(database, organizationId, [JOINED])
  webhookId = (await database.prisma.webhook.findFirstOrThrow({ where: { organizationId } })).id
})

/** First attempts of new deliveries, one after the other. */
async function attempt(...statuses: number[]): Promise<void> {
  const events = statuses.map(() => ({ type: JOINED, data: {} }))
  await publishEvents(organizationId, events)
  const newest = { where: { webhookId }, orderBy: { id: 'desc' }, take: events.length } as const
  const deliveries = (await database.prisma.delivery.findMany(newest)).toReversed()
  for (const [i, delivery] of deliveries.entries()) {
    await record(attemptOf(delivery, statuses[i] as number))
  }
}

const AT_REST = 'posthorn.webhook_conditions where webhook_id = $1 and next_evaluation_at is null'

const ours = (uuids: readonly string[]) => uuids.filter((uuid) => uuid === organizationId)

/** Evaluates the webhooks as if their next evaluation had come. Returns the state, and how many webhooks have another one. */
async function evaluate(aheadMs = 0) {
  await database.pool.query(
    'update posthorn.webhook_conditions set next_evaluation_at = now() where next_evaluation_at is not null',
  )
  const changed = ours(await evaluateHealth(database.pipeline, aheadMs)).length
  const condition = await database.prisma.webhookState.findFirstOrThrow({ where: { webhookId } })
  return { state: condition.state, condition, changed }
}

/** Deliveries that were created `agoMs` ago, and have no attempt. They are parked if there is a reason. */
async function addOld(agoMs: number, parkedReason: string | null, count = 1): Promise<void> {
  await database.pool.query(
    `insert into posthorn.deliveries (id, organization_id, webhook_id, event_id, event_type, max_attempts,
       next_attempt_at, parked_at, parked_reason)
     select id, $1, $2, id, $3, 10, case when $5::text is null then posthorn.uuid_v7_timestamp(id) end,
       case when $5::text is not null then now() end, $5
     from generate_series(0, $6::int - 1) as i,
       lateral (select (left($4, 24) || lpad(to_hex(i), 12, '0'))::uuid as id) as new`,
    [
      organizationId,
      webhookId,
      JOINED,
      lowerBoundAt(new Date(Date.now() - agoMs)),
      parkedReason,
      count,
    ],
  )
  if (parkedReason === null) return
  await database.pool.query(
    'insert into posthorn.webhook_schedules (webhook_id, backlog_since) values ($1, now()) on conflict do nothing',
    [webhookId],
  )
  // This finds the backlog, and from then on the webhook is evaluated.
  await evaluateHealth(database.pipeline)
}

const setWebhook = (columns: string) =>
  database.pool.query(`update posthorn.webhooks set ${columns} where id = $1`, [webhookId])

describe('a webhook', () => {
  test('has no deliveries before its first attempt, and is healthy after a success', async () => {
    expect((await evaluate()).state).toBe('no_deliveries')
    await attempt(200)
    expect(await evaluate()).toMatchObject({ state: 'healthy', changed: 0 })
    expect(await countRows(database.pool, AT_REST, [webhookId])).toBe(1)
  })

  test('that has never succeeded is failing with its first failure, until its first success', async () => {
    await attempt(500)
    const failing = await evaluate()
    expect(failing.condition.stateSince).toEqual(failing.condition.failingSince)
    expect(failing).toMatchObject({ state: 'failing', changed: 1 })
    expect((await evaluate()).changed).toBe(0)
    await attempt(200)
    expect(await evaluate()).toMatchObject({ state: 'healthy', changed: 1 })
  })

  const times = (count: number, status: number) => new Array<number>(count).fill(status)

  test.each<[string, ...steps: [statuses: number[], state: string, aheadMs?: number][]]>([
    [
      'with 3 failures is failing after a minute, and with 2 it is not',
      [[200, 500, 500], 'healthy', 2 * MINUTE_MS],
      [[500], 'healthy'],
      [[], 'failing', 61_000],
    ],
    [
      'with 10 consecutive failures is failing at once, and with 9 it is not',
      [[...times(30, 200), ...times(9, 500)], 'degraded'],
      [[500], 'failing'],
      [[200], 'degraded'],
    ],
    [
      'is degraded from 10 % failures until less than 5 %',
      [[...times(28, 200), 500, 500], 'healthy'],
      [[500], 'healthy'],
      [[500], 'degraded'],
      [times(48, 200), 'degraded'],
      [[200], 'healthy'],
    ],
    [
      'of few deliveries is not degraded, and one that stopped failing is healthy',
      [[200, 500, 500, 200, 500, 200], 'healthy'],
      [times(4, 200), 'degraded'],
      [[], 'healthy', 16 * MINUTE_MS],
    ],
  ])('%s', async (_what, ...steps) => {
    for (const [statuses, state, aheadMs] of steps) {
      if (statuses.length > 0) await attempt(...statuses)
      expect((await evaluate(aheadMs)).state).toBe(state)
    }
  })

  test.each([
    ['rate_limit', 'rate_limit_per_second = 5'],
    ['ordered', 'ordered = true'],
    ['concurrency_limit', 'max_in_flight = 1'],
    ['catching_up', 'enabled = true'],
  ])('that is 23 hours behind says why: %s', async (cause, columns) => {
    await attempt(200)
    await setWebhook(columns)
    await addOld(4 * MINUTE_MS, cause === 'catching_up' ? 'on_hold' : cause)
    expect((await evaluate()).state).toBe('healthy')
    await addOld(23 * HOUR_MS, cause === 'catching_up' ? 'on_hold' : cause, 1_364)
    const behind = await evaluate()
    expect(behind).toMatchObject({ state: 'behind', condition: { behindCause: cause }, changed: 1 })
    const oldest = behind.condition.oldestWaitingAt?.getTime() ?? 0
    expect(Math.round((Date.now() - oldest) / HOUR_MS)).toBe(23)
    const succeed = (minutesAgo: number) =>
      database.pool.query(
        `update posthorn.deliveries set parked_at = null, parked_reason = null, state = 'succeeded', finished_at = now()
         where id < posthorn.uuid_v7_lower_bound(now() - $1 * interval '1 minute') and state = 'pending' and webhook_id = $2`,
        [minutesAgo, webhookId],
      )
    // Still 4 minutes behind.
    await succeed(60)
    expect((await evaluate()).state).toBe('behind')
    await succeed(0)
    expect(await evaluate()).toMatchObject({
      state: 'healthy',
      condition: { oldestWaitingAt: null },
    })
  })

  test('that no worker serves is behind by capacity', async () => {
    await addOld(4 * MINUTE_MS, null)
    await backfillIndex(database.pool)
    await database.pool.query(
      `update posthorn.cursors set next_id = posthorn.uuid_v7_lower_bound(now()) where name = 'index_backfill'`,
    )
    // It waits for the transactions of all databases of the server.
    await until(async () => (await backfillIndex(database.pool)) === 1, 'the delivery is indexed')
    expect((await evaluate()).state).toBe('no_deliveries')
    expect(await evaluate(2 * MINUTE_MS)).toMatchObject({
      state: 'behind',
      condition: { behindCause: 'capacity' },
    })
  })

  test('is not behind while it is on hold or disabled, but its backlog has an age', async () => {
    await putOnHold(database.pipeline, webhookId)
    await addOld(HOUR_MS, 'on_hold')
    const held = await evaluate()
    expect(held).toMatchObject({ state: 'on_hold', changed: 0 })
    expect(held.condition).toMatchObject({ oldestWaitingAt: expect.any(Date) })
    await setWebhook('enabled = false')
    expect((await evaluate()).state).toBe('disabled')
    await setWebhook('enabled = true')
    await endHold(database.pipeline, webhookId)
    expect((await evaluate()).condition.behindCause).toBe('catching_up')
  })
})

test('one process at a time evaluates, and does not wait for a webhook that another one changes', async () => {
  await attempt(500)
  const other = await database.pool.connect()
  await other.query('begin')
  await other.query(`select pg_advisory_xact_lock(hashtextextended('posthorn.health', 0))`)
  expect(await evaluateHealth(database.pipeline)).toEqual([])
  await other.query('rollback')
  await other.query('begin')
  await other.query('select from posthorn.webhook_conditions for update')
  expect(await evaluateHealth(database.pipeline)).toEqual([])
  await other.query('rollback')
  other.release()
  expect(ours(await evaluateHealth(database.pipeline))).toHaveLength(1)
})

test('a state and its alert are stored together', async () => {
  await attempt(500)
  await database.pool.query(`
    create table posthorn.noticed (webhook_id uuid, type text, data jsonb);
    create or replace function posthorn.alert(organization_id uuid, webhook_id uuid, type text, data jsonb) returns void
    language plpgsql as $$ begin
      insert into posthorn.noticed values (webhook_id, type, data);
      if data->>'last_error' like 'HTTP 500%' then raise exception 'no room'; end if;
    end $$`)
  await expect(evaluate()).rejects.toThrow('no room')
  expect((await database.prisma.webhookState.findFirst({ where: { webhookId } }))?.state).not.toBe(
    'failing',
  )
  await attempt(503)
  await evaluate()
  await attempt(200)
  await evaluate()
  const { rows } = await database.pool.query('select * from posthorn.noticed')
  expect(rows).toMatchObject([
    {
      webhook_id: webhookId,
      type: 'posthorn.webhook.failing',
      data: {
        last_error: 'HTTP 503 from https://example.com',
        consecutive_failures: 2,
        cause: null,
      },
    },
    { type: 'posthorn.webhook.recovered', data: { state: 'healthy', waiting: 0 } },
  ])
})
