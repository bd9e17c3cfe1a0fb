import { beforeEach, describe, expect, test, vi } from 'vitest'
import { mintId, parseId } from '../../src/db/ids.ts'
import type { AttemptRecord } from '../../src/deliveries/attempts/attempt-record.ts'
import { createRecordAttempt } from '../../src/deliveries/attempts/record-attempt.ts'
import { backfillIndex } from '../../src/deliveries/backfill-index.ts'
import { cancelDeliveries } from '../../src/deliveries/cancel-deliveries.ts'
import { putOnHold } from '../../src/scheduling/circuit-breaker.ts'
import { updateWebhook } from '../../src/webhooks/webhook.ts'
import { attemptOf, SENDER } from '../support/attempts.ts'
import { JOINED, TICKET } from '../support/factories.ts'
import { useApi, useTenant } from './support/api.ts'
import { document } from './support/document.ts'
import { addWebhook, deliveryIds, deliveryRow, FAILED, publish } from './support/rows.ts'

const api = await useApi()
const tenant = useTenant(api)

const RETRY = { next: { kind: 'retry', delayMs: 60_000 } } as const

async function find(operation: string, file: string, filter: object): Promise<string[]> {
  const { data, errors } = await api.call(tenant.token, document(file, operation), { filter })
  expect(errors).toBeUndefined()
  const [list] = Object.values(data) as { nodes: { id: string }[] }[]
  return (list?.nodes ?? []).map(({ id }) => id)
}

describe('deliveries', () => {
  let ids: string[]
  const found = (filter: object) => find('DeliveriesPage', 'deliveries', filter)
  async function record(
    id: string | undefined,
    status: number | null,
    given?: Partial<AttemptRecord>,
  ) {
    const row = await deliveryRow(api.database, id as string)
    await createRecordAttempt(api.database.pool, SENDER)(attemptOf(row, status, given))
  }

  beforeEach(async () => {
    await addWebhook(api, tenant.organizationId)
    await publish(api, tenant.organizationId, 6)
    ids = await deliveryIds(api.database, tenant.organizationId)
  })

  test('are found by state, whichever way they reached it', async () => {
    const [fresh, waiting, retried, lost, canceled, done] = ids as string[]
    expect(await found({ states: ['QUEUED'] })).toEqual(ids)
    await record(waiting, 500, RETRY)
    await record(retried, 500, RETRY)
    await record(retried, 204)
    await record(lost, null)
    await cancelDeliveries(
      api.database.pool,
      [parseId('delivery', canceled as string) as string],
      null,
    )
    await record(done, 200)
    expect(await found({ states: ['QUEUED'] })).toEqual([fresh])
    expect(await found({ states: ['RETRYING'] })).toEqual([waiting])
    expect(await found({ states: ['QUEUED', 'RETRYING'] })).toEqual([fresh, waiting])
    expect(await found({ states: ['RETRYING', 'SUCCEEDED', 'RETRYING'] })).toEqual([
      waiting,
      retried,
      done,
    ])
    expect(await found({ states: ['SUCCEEDED'] })).toEqual([retried, done])
    expect(await found({ states: ['EXHAUSTED'] })).toEqual([lost])
    expect(await found({ states: ['CANCELED'] })).toEqual([canceled])
    await api.call(tenant.token, document('deliveries', 'Redeliver'), { ids: [done] })
    await api.call(tenant.token, document('deliveries', 'Redeliver'), { ids: [canceled] })
    expect(await found({ states: ['QUEUED'] })).toEqual([fresh, canceled])
    expect(await found({ states: ['RETRYING'] })).toEqual([waiting, done])
    expect(await found({ states: ['CANCELED'] })).toEqual([])
  })

  test('are found by the response to their last attempt', async () => {
    const [fresh, three, four, five, none, done] = ids as string[]
    await record(three, 302, RETRY)
    await record(four, 404, RETRY)
    await record(five, 500)
    await record(none, null, RETRY)
    await record(done, 204)
    expect(await found({ statusClasses: ['REDIRECTION_3XX'] })).toEqual([three])
    expect(await found({ statusClasses: ['CLIENT_ERROR_4XX'] })).toEqual([four])
    expect(await found({ statusClasses: ['SERVER_ERROR_5XX'] })).toEqual([five])
    expect(await found({ statusClasses: ['NO_RESPONSE'] })).toEqual([none])
    expect(await found({ statusClasses: ['SUCCESS_2XX'] })).toEqual([done])
    expect(await found({ statusClasses: ['NO_RESPONSE', 'SUCCESS_2XX'] })).toEqual([none, done])
    expect(await found({ statusClasses: FAILED })).toEqual([three, four, five, none])
    expect(await found({ statusClasses: FAILED, states: ['RETRYING', 'SUCCEEDED'] })).toEqual([
      three,
      four,
      none,
    ])
    expect(await found({ statusClasses: ['SERVER_ERROR_5XX'], states: ['EXHAUSTED'] })).toEqual([
      five,
    ])
    expect(await found({ statusClasses: ['SERVER_ERROR_5XX'], states: ['RETRYING'] })).toEqual([])
    expect(await found({ statusClasses: ['SERVER_ERROR_5XX'], states: ['SUCCEEDED'] })).toEqual([])
    expect(await found({ statusClasses: ['SUCCESS_2XX'], states: ['SUCCEEDED'] })).toEqual([done])
    await record(three, 204)
    expect(await found({ statusClasses: ['SUCCESS_2XX'] })).toEqual([three, done])
    await api.call(tenant.token, document('deliveries', 'Redeliver'), { ids: [done] })
    expect(await found({ statusClasses: ['SUCCESS_2XX'] })).toEqual([three, done])
    expect(await found({ statusClasses: ['SUCCESS_2XX'], states: ['RETRYING'] })).toEqual([done])
    expect(await found({ states: ['QUEUED'] })).toContain(fresh)
  })

  test('are found by creation time', async () => {
    const at = (id: string | undefined) =>
      api.database.pool
        .query('select posthorn.uuid_v7_timestamp($1) as at', [parseId('delivery', id as string)])
        .then(({ rows }) => rows[0].at as Date)
    const first = await at(ids[5])
    const later = new Date((await at(ids[0])).getTime() + 1)
    expect(await found({ since: first.toISOString() })).toEqual(ids)
    expect(await found({ until: later.toISOString() })).toEqual(ids)
    expect(await found({ since: later.toISOString() })).toEqual([])
    expect(await found({ until: first.toISOString(), states: ['QUEUED'] })).toEqual([])
    expect(await found({ until: '0001-01-01T00:00:00Z' })).toEqual([])
    expect(await found({ since: '9999-12-31T00:00:00Z' })).toEqual([])
  })

  test('that wait long for their first attempt are still found, in pages', async () => {
    // The index backfill stays 30 seconds behind, so the deliveries must be older.
    await api.database.pool.query(
      `update posthorn.cursors set next_id = posthorn.uuid_v7_lower_bound(now() + interval '1 second'), next_xid = 0
       where name = 'index_backfill'`,
    )
    expect(await backfillIndex(api.database.pool, 4)).toBe(4)
    await publish(api, tenant.organizationId, 1)
    const all = await deliveryIds(api.database, tenant.organizationId)
    expect(await found({ states: ['QUEUED'] })).toEqual(all)
    const page = `query ($after: String) { deliveries(filter: { states: QUEUED }, first: 3, after: $after) {
      nodes { id } pageInfo { endCursor } } }`
    const { data: one } = await api.call(tenant.token, page)
    const { data: two } = await api.call(tenant.token, page, {
      after: one.deliveries.pageInfo.endCursor,
    })
    const nodes = [...one.deliveries.nodes, ...two.deliveries.nodes]
    expect(nodes.map(({ id }: { id: string }) => id)).toEqual(all.slice(0, 6))
  })

  test('the backfill cursor does not pass deliveries of an open transaction', async () => {
    const { pool } = api.database
    const open = await pool.connect()
    await open.query('begin')
    await open.query(`select posthorn.publish_events($1, $2)`, [
      tenant.publicOrganizationId,
      JSON.stringify([{ type: JOINED, data: {} }]),
    ])
    const reached = async () => {
      await backfillIndex(pool)
      const { rows } = await pool.query(
        `select next_id is not null as waits, next_id from posthorn.cursors where name = 'index_backfill'`,
      )
      return rows[0].next_id
    }
    await pool.query(`update posthorn.cursors set next_id = null`)
    const waitingFor = await reached()
    expect(await reached()).toBe(waitingFor)
    await open.query('commit')
    open.release()
    // Running transactions of other databases hold the cursor back too.
    await vi.waitUntil(async () => (await reached()) !== waitingFor, { timeout: 20_000 })
  })

  test('a cursor of another server, whose dump was restored, moves on', async () => {
    const { pool } = api.database
    await pool.query(
      `update posthorn.cursors
       set next_id = posthorn.uuid_v7_lower_bound(now()), next_xid = pg_snapshot_xmax(pg_current_snapshot())::text::bigint + 1000000
       where name = 'index_backfill'`,
    )
    const read = async () => {
      const { rows } = await pool.query(
        `select reached_id, next_xid <= pg_snapshot_xmax(pg_current_snapshot())::text::bigint as own
         from posthorn.cursors where name = 'index_backfill'`,
      )
      return rows[0]
    }
    const { reached_id, own } = await read()
    expect(own).toBe(false)
    await backfillIndex(pool)
    const after = await read()
    expect(after.own).toBe(true)
    expect(after.reached_id).not.toBe(reached_id)
  })
})

describe('events', () => {
  const found = (filter: object) => find('Events', 'events', filter)

  test('are found by id, type and time', async () => {
    const ids = (await publish(api, tenant.organizationId, 3)).toReversed()
    expect(await found({ type: JOINED })).toEqual(ids)
    expect(await found({ type: TICKET })).toEqual([])
    expect(await found({ id: ids[1] })).toEqual([ids[1]])
    expect(await found({ id: ids[1], type: TICKET })).toEqual([])
    expect(await found({ id: mintId('event') })).toEqual([])
    expect(await found({ since: new Date(Date.now() - 60_000).toISOString() })).toEqual(ids)
    expect(await found({ until: new Date(Date.now() - 60_000).toISOString() })).toEqual([])
  })
})

describe('webhooks', () => {
  const found = (filter: object) => find('Webhooks', 'webhooks', filter)

  test('are found by URL and description, ignoring case', async () => {
    const { id: shop } = await addWebhook(api, tenant.organizationId, {
      url: 'https://shop.example.com/100%_hooks',
    })
    const { id: crm } = await addWebhook(api, tenant.organizationId, {
      url: 'https://crm.example.com/hooks',
    })
    const description = 'Tells the CRM\\all'
    await updateWebhook(api.deps.webhooks, tenant.organizationId, crm, { description })
    expect(await found({ search: 'EXAMPLE.com' })).toEqual([crm, shop])
    expect(await found({ search: '%_h' })).toEqual([shop])
    expect(await found({ search: 'shop_example' })).toEqual([])
    expect(await found({ search: '' })).toEqual([crm, shop])
    expect(await found({ search: 'crm\\ALL' })).toEqual([crm])
    expect(await found({ search: 'crm%all' })).toEqual([])
  })

  test('are ordered by damage', async () => {
    const own = await api.tenant()
    const [off, healthy, behind, worse, failing, degraded, onHold] = [
      await addWebhook(api, own.organizationId),
      await addWebhook(api, own.organizationId),
      await addWebhook(api, own.organizationId),
      await addWebhook(api, own.organizationId),
      await addWebhook(api, own.organizationId),
      await addWebhook(api, own.organizationId),
      await addWebhook(api, own.organizationId),
    ]
    const webhooks = api.deps.webhooks
    await updateWebhook(webhooks, own.organizationId, off.id, { enabled: false })
    const condition = (webhook: typeof behind, data: object) =>
      api.database.prisma.webhookCondition.create({
        data: { webhookId: parseId('webhook', webhook.id) as string, ...data },
      })
    const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000)
    await condition(failing, { state: 'failing' })
    await condition(degraded, { state: 'degraded' })
    const late = { state: 'behind', behindCause: 'ordered' }
    await condition(behind, { ...late, oldestWaitingAt: hoursAgo(1) })
    await condition(worse, { ...late, oldestWaitingAt: hoursAgo(23) })
    await putOnHold(api.database.pool, parseId('webhook', onHold.id) as string)
    const list = async (args: string) => {
      const { data } = await api.call(own.token, `{ webhooks(${args}) { nodes { id } } }`)
      return data.webhooks.nodes.map(({ id }: { id: string }) => id)
    }
    const inTrouble = [onHold.id, failing.id, worse.id, behind.id, degraded.id]
    expect(await list('orderBy: ATTENTION_FIRST')).toEqual([...inTrouble, healthy.id, off.id])
    expect(await list('orderBy: ATTENTION_FIRST, filter: { states: [DISABLED] }')).toEqual([off.id])
  })

  test('are found by subscription and state', async () => {
    const { id: on } = await addWebhook(api, tenant.organizationId)
    const { id: off } = await addWebhook(api, tenant.organizationId)
    const { id: failing } = await addWebhook(api, tenant.organizationId)
    await updateWebhook(api.deps.webhooks, tenant.organizationId, off, {
      enabled: false,
      eventSubscriptions: [TICKET],
    })
    await api.database.prisma.webhookCondition.create({
      data: { webhookId: parseId('webhook', failing) as string, state: 'failing' },
    })
    expect(await found({ subscribesTo: JOINED })).toEqual([failing, on])
    expect(await found({ subscribesTo: TICKET })).toEqual([off])
    expect(await found({ states: ['NO_DELIVERIES', 'FAILING'] })).toEqual([failing, on])
    expect(await found({ states: ['NO_DELIVERIES'] })).toEqual([on])
    expect(await found({ states: ['HEALTHY'] })).toEqual([])
    await api.database.prisma.webhookCondition.create({
      data: { webhookId: parseId('webhook', on) as string, lastSuccessAt: new Date() },
    })
    expect(await found({ states: ['HEALTHY'] })).toEqual([on])
    expect(await found({ states: ['NO_DELIVERIES'] })).toEqual([])
    expect(await found({ states: ['FAILING'] })).toEqual([failing])
    expect(await found({ states: ['DISABLED'] })).toEqual([off])
    expect(await found({ states: ['ON_HOLD'] })).toEqual([])
  })
})
