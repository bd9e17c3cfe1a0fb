import { beforeEach, describe, expect, test, vi } from 'vitest'
import { mintId, parseId } from '../../src/db/ids.ts'
import { backfillIndex } from '../../src/deliveries/backfill-index.ts'
import { putOnHold } from '../../src/scheduling/circuit-breaker.ts'
import { updateWebhook } from '../../src/webhooks/save-webhook.ts'
import { JOINED, TICKET } from '../support/factories.ts'
import { useApi, useTenant } from './support/api.ts'
import { FAILED, RETRY, recordAttempt } from './support/rows.ts'

// The cursor of the backfill belongs to the whole database.
const api = await useApi('own')
const tenant = useTenant(api)

async function find(operation: string, file: string, filter: object): Promise<string[]> {
  const { nodes } = await tenant.run(file, operation, { filter })
  return nodes.map(({ id }: { id: string }) => id)
}

describe('deliveries', () => {
  let ids: string[]
  const found = (filter: object) => find('DeliveriesPage', 'deliveries', filter)
  const record = (id: string | undefined, status: number | null, given?: object) =>
    recordAttempt(api.database, id, status, given)
  const redeliver = (id: string | undefined) => tenant.run('deliveries', 'Redeliver', { ids: [id] })
  const expectFound = async (cases: readonly (readonly [object, unknown[]])[]) => {
    for (const [filter, expected] of cases) {
      expect(await found(filter), JSON.stringify(filter)).toEqual(expected)
    }
  }

  beforeEach(async () => {
    await tenant.addWebhook()
    await tenant.publish(6)
    ids = await tenant.deliveryIds()
  })

  test('are found by state, whichever way they reached it', async () => {
    const [fresh, waiting, retried, lost, canceled, done] = ids as string[]
    expect(await found({ states: ['QUEUED'] })).toEqual(ids)
    await record(waiting, 500, RETRY)
    await record(retried, 500, RETRY)
    await record(retried, 204)
    await record(lost, null)
    await tenant.run('bulk-tasks', 'CancelDeliveries', { input: { ids: [canceled] } })
    await record(done, 200)
    await expectFound([
      [{ states: ['QUEUED'] }, [fresh]],
      [{ states: ['RETRYING'] }, [waiting]],
      [{ states: ['QUEUED', 'RETRYING'] }, [fresh, waiting]],
      [{ states: ['RETRYING', 'SUCCEEDED', 'RETRYING'] }, [waiting, retried, done]],
      [{ states: ['SUCCEEDED'] }, [retried, done]],
      [{ states: ['EXHAUSTED'] }, [lost]],
      [{ states: ['CANCELED'] }, [canceled]],
    ])
    await redeliver(done)
    await redeliver(canceled)
    await expectFound([
      [{ states: ['QUEUED'] }, [fresh, canceled]],
      [{ states: ['RETRYING'] }, [waiting, done]],
      [{ states: ['CANCELED'] }, []],
    ])
  })

  test('are found by the response to their last attempt', async () => {
    const [fresh, three, four, five, none, done] = ids as string[]
    await record(three, 302, RETRY)
    await record(four, 404, RETRY)
    await record(five, 500)
    await record(none, null, RETRY)
    await record(done, 204)
    await expectFound([
      [{ statusClasses: ['REDIRECTION_3XX'] }, [three]],
      [{ statusClasses: ['CLIENT_ERROR_4XX'] }, [four]],
      [{ statusClasses: ['SERVER_ERROR_5XX'] }, [five]],
      [{ statusClasses: ['NO_RESPONSE'] }, [none]],
      [{ statusClasses: ['SUCCESS_2XX'] }, [done]],
      [{ statusClasses: ['NO_RESPONSE', 'SUCCESS_2XX'] }, [none, done]],
      [{ statusClasses: FAILED }, [three, four, five, none]],
      [{ statusClasses: FAILED, states: ['RETRYING', 'SUCCEEDED'] }, [three, four, none]],
      [{ statusClasses: ['SERVER_ERROR_5XX'], states: ['EXHAUSTED'] }, [five]],
      [{ statusClasses: ['SERVER_ERROR_5XX'], states: ['RETRYING', 'SUCCEEDED'] }, []],
      [{ statusClasses: ['SUCCESS_2XX'], states: ['SUCCEEDED'] }, [done]],
    ])
    await record(three, 204)
    await redeliver(done)
    await expectFound([
      [{ statusClasses: ['SUCCESS_2XX'] }, [three, done]],
      [{ statusClasses: ['SUCCESS_2XX'], states: ['RETRYING'] }, [done]],
    ])
    expect(await found({ states: ['QUEUED'] })).toContain(fresh)
  })

  test('are found by creation time', async () => {
    const at = (id: string | undefined) =>
      api.database.pool
        .query('select posthorn.uuid_v7_timestamp($1) as at', [parseId('delivery', id as string)])
        .then(({ rows }) => rows[0].at as Date)
    const first = await at(ids[5])
    const later = new Date((await at(ids[0])).getTime() + 1)
    await expectFound([
      [{ since: first }, ids],
      [{ until: later }, ids],
      [{ since: later }, []],
      [{ until: first, states: ['QUEUED'] }, []],
      [{ until: '0001-01-01T00:00:00Z' }, []],
      [{ since: '9999-12-31T00:00:00Z' }, []],
    ])
  })

  test('that wait long for their first attempt are still found, in pages', async () => {
    // The index backfill stays 30 seconds behind, so the deliveries must be older.
    await api.database.pool.query(
      `update posthorn.cursors set next_id = posthorn.uuid_v7_lower_bound(now() + interval '1 second'), next_xid = 0
       where name = 'index_backfill'`,
    )
    expect(await backfillIndex(api.database.pool, 4)).toBe(4)
    await tenant.publish(1)
    const all = await tenant.deliveryIds()
    expect(await found({ states: ['QUEUED'] })).toEqual(all)
    const page = `query ($after: String) { deliveries(filter: { states: QUEUED }, first: 3, after: $after) {
      nodes { id } pageInfo { endCursor } } }`
    const one = await tenant.ask(page)
    const two = await tenant.ask(page, { after: one.deliveries.pageInfo.endCursor })
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
})

const found = (filter: object) => find('Events', 'events', filter)

test('events are found by id, type and time', async () => {
  const ids = (await tenant.publish(3)).toReversed()
  expect(await found({ type: JOINED })).toEqual(ids)
  expect(await found({ type: TICKET })).toEqual([])
  expect(await found({ id: ids[1] })).toEqual([ids[1]])
  expect(await found({ id: ids[1], type: TICKET })).toEqual([])
  expect(await found({ id: mintId('event') })).toEqual([])
  expect(await found({ since: new Date(Date.now() - 60_000).toISOString() })).toEqual(ids)
  expect(await found({ until: new Date(Date.now() - 60_000).toISOString() })).toEqual([])
})

describe('webhooks', () => {
  const found = (filter: object) => find('Webhooks', 'webhooks', filter)
  const condition = (webhook: string | undefined, columns: Record<string, unknown>) =>
    api.database.pool.query(
      `insert into posthorn.webhook_conditions (webhook_id, ${Object.keys(columns).join(', ')})
       values ($1, ${Object.keys(columns).map((_, i) => `$${i + 2}`)})`,
      [parseId('webhook', webhook as string), ...Object.values(columns)],
    )

  test('are found by URL and description, ignoring case', async () => {
    const add = async (url: string) => (await tenant.addWebhook({ url })).id
    const shop = await add('https://shop.example.com/100%_hooks')
    const crm = await add('https://crm.example.com/hooks')
    const description = 'Tells the CRM\\all'
    await updateWebhook(api.deps.webhooks, tenant.organizationId, crm, { description })
    for (const [search, expected] of [
      ['EXAMPLE.com', [crm, shop]],
      ['%_h', [shop]],
      ['shop_example', []],
      ['', [crm, shop]],
      ['crm\\ALL', [crm]],
      ['crm%all', []],
    ]) {
      expect(await found({ search }), String(search)).toEqual(expected)
    }
  })

  test('are ordered by damage', async () => {
    const ids: string[] = []
    for (let i = 0; i < 7; i++) ids.push((await tenant.addWebhook()).id)
    const [off, healthy, behind, worse, failing, degraded, onHold] = ids as [string, ...string[]]
    await updateWebhook(api.deps.webhooks, tenant.organizationId, off, { enabled: false })
    const late = (hours: number) => ({
      ...{ state: 'behind', behind_cause: 'ordered' },
      oldest_waiting_at: new Date(Date.now() - hours * 3_600_000),
    })
    await condition(failing, { state: 'failing' })
    await condition(degraded, { state: 'degraded' })
    await condition(behind, late(1))
    await condition(worse, late(23))
    await putOnHold(api.database.pool, parseId('webhook', onHold as string) as string)
    const list = async (filter: string) => {
      const args = `orderBy: ATTENTION_FIRST${filter}`
      const { webhooks } = await tenant.ask(`{ webhooks(${args}) { nodes { id } } }`)
      return webhooks.nodes.map(({ id }: { id: string }) => id)
    }
    expect(await list('')).toEqual([onHold, failing, worse, behind, degraded, healthy, off])
    expect(await list(', filter: { states: [DISABLED] }')).toEqual([off])
  })

  test('are ordered by name and by what waits now, equal ones newest first', async () => {
    const names = new Map<string, string>()
    const add = async (description: string, eventType = JOINED) => {
      const { id } = await tenant.addWebhook({ eventType })
      await updateWebhook(api.deps.webhooks, tenant.organizationId, id, { description })
      names.set(id, description)
      return parseId('webhook', id) as string
    }
    for (const held of [await add('Box 10', TICKET), await add('Box 9')]) {
      await putOnHold(api.database.pool, held)
    }
    await tenant.publish(1, TICKET)
    await tenant.publish(3)
    for (const description of ['arrivals', 'Zoo', 'Éclair']) await add(description)
    const listed = async (order: string) => {
      const { webhooks } = await tenant.ask(`{ webhooks(orderBy: ${order}) { nodes { id } } }`)
      return webhooks.nodes.map(({ id }: { id: string }) => names.get(id))
    }
    const others = ['Éclair', 'Zoo', 'arrivals']
    expect(await listed('NEWEST_FIRST')).toEqual([...others, 'Box 9', 'Box 10'])
    expect(await listed('NAME')).toEqual(['arrivals', 'Box 9', 'Box 10', 'Éclair', 'Zoo'])
    expect(await listed('MOST_WAITING')).toEqual(['Box 9', 'Box 10', ...others])
    await tenant.publish(4, TICKET)
    expect(await listed('MOST_WAITING')).toEqual(['Box 10', 'Box 9', ...others])
  })

  test('are found by subscription and state', async () => {
    const { id: on } = await tenant.addWebhook()
    const { id: off } = await tenant.addWebhook()
    const { id: failing } = await tenant.addWebhook()
    const change = { enabled: false, eventSubscriptions: [TICKET] }
    await updateWebhook(api.deps.webhooks, tenant.organizationId, off, change)
    await condition(failing, { state: 'failing' })
    expect(await found({ subscribesTo: JOINED })).toEqual([failing, on])
    expect(await found({ subscribesTo: TICKET })).toEqual([off])
    expect(await found({ states: ['NO_DELIVERIES', 'FAILING'] })).toEqual([failing, on])
    expect(await found({ states: ['NO_DELIVERIES'] })).toEqual([on])
    expect(await found({ states: ['HEALTHY'] })).toEqual([])
    await condition(on, { last_success_at: new Date() })
    expect(await found({ states: ['HEALTHY'] })).toEqual([on])
    expect(await found({ states: ['NO_DELIVERIES'] })).toEqual([])
    expect(await found({ states: ['FAILING'] })).toEqual([failing])
    expect(await found({ states: ['DISABLED'] })).toEqual([off])
    expect(await found({ states: ['ON_HOLD'] })).toEqual([])
  })
})
