import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { parseId, publicId } from '../../src/db/ids.ts'
import { raisePeaks } from '../../src/incidents/peak-waiting.ts'
import { putOnHold } from '../../src/scheduling/circuit-breaker.ts'
import { type Api, openApi } from '../graphql/support/api.ts'
import { document } from '../graphql/support/document.ts'
import { addAttempt, addWebhook, deliveryIds, publish } from '../graphql/support/rows.ts'
import { createApiKey } from '../support/api-keys.ts'

let api: Api
let tenant: Awaited<ReturnType<Api['tenant']>>
let webhookId: string
let id: string

const HOUR_MS = 3_600_000

beforeAll(async () => {
  api = await openApi()
})
afterAll(() => api[Symbol.asyncDispose]())
beforeEach(async () => {
  tenant = await api.tenant()
  webhookId = await trouble()
  id = await openIncident(webhookId)
})

/** A webhook on hold, which has an incident. */
async function trouble(): Promise<string> {
  const webhook = await addWebhook(api, tenant.organizationId)
  await publish(api, tenant.organizationId)
  const [delivery = ''] = await deliveryIds(api.database, tenant.organizationId)
  await addAttempt(api.database, delivery)
  await putOnHold(api.database.pool, parseId('webhook', webhook.id) as string)
  return webhook.id
}

async function openIncident(webhook: string): Promise<string> {
  const { data } = await api.call(
    tenant.token,
    'query ($id: ID!) { webhook(id: $id) { openIncident { id } } }',
    { id: webhook },
  )
  return data.webhook.openIncident.id
}

async function update(input: object, token = tenant.token, incident = id) {
  const { data, errors } = await api.call(token, document('incidents', 'UpdateIncident'), {
    id: incident,
    input,
  })
  expect(errors).toBeUndefined()
  return data.updateIncident
}

async function list(states?: string[], token = tenant.token): Promise<string[]> {
  const { data } = await api.call(token, document('incidents', 'Incidents'), {
    filter: states ? { states } : {},
  })
  expect(data.incidents.totalCount).toBe(data.incidents.nodes.length)
  return data.incidents.nodes.map((node: { id: string }) => node.id)
}

const history = async () => {
  const { data } = await api.call(
    tenant.token,
    `query ($id: ID!) { node(id: $id) { ... on Incident {
       history { action actor assignee snoozedUntil webhookState cause } } } }`,
    { id },
  )
  return data.node.history
}

const inAnHour = () => new Date(Date.now() + HOUR_MS).toISOString()

test('an incident has its webhook, its cause and its counts', async () => {
  await raisePeaks(api.database.pool)
  const { data } = await api.call(tenant.token, document('incidents', 'Incidents'), {})
  expect(data.incidents.nodes).toEqual([
    {
      id,
      state: 'OPEN',
      webhookState: 'ON_HOLD',
      cause: '500',
      behindCause: null,
      openedAt: expect.any(String),
      failedAttempts: 0,
      failedAttemptsByHour: new Array(12).fill(0),
      peakWaiting: 0,
      acknowledgedBy: null,
      assignee: null,
      webhook: expect.objectContaining({ id: webhookId }),
    },
  ])
})

test('failures are counted from the minute in which the incident began, also of hours and of days ago', async () => {
  const { pool } = api.database
  const count = (agoMs: number, minutes: 1 | 60, failed: number) =>
    pool.query(
      `insert into posthorn.webhook_statistics (subject_id, organization_id, minutes, bucket, stripe, attempts, succeeded,
         failed_3xx, failed_4xx, failed_5xx, failed_without_response, latency)
       values ($1, $2, $3::int, date_trunc(case $3::int when 1 then 'minute' else 'hour' end,
         now() - $4 * interval '1 millisecond'), 0, $5::int + 5, 5, 0, 0, $5::int, 0, array_fill(0, '{27}'::int[]))`,
      [parseId('webhook', webhookId), tenant.organizationId, minutes, agoMs, failed],
    )
  const failures = async () => {
    const { data } = await api.call(tenant.token, document('incidents', 'Incidents'), {})
    const [{ failedAttempts, failedAttemptsByHour }] = data.incidents.nodes
    return [failedAttempts, failedAttemptsByHour.at(-1), failedAttemptsByHour.at(-4)]
  }
  const opened = (agoMs: number) =>
    pool.query(
      `update posthorn.incidents set opened_at = now() - $2 * interval '1 millisecond' where webhook_id = $1`,
      [parseId('webhook', webhookId), agoMs],
    )
  await pool.query(
    `update posthorn.cursors set reached_at = date_trunc('hour', now()) where name = 'statistics_rollup'`,
  )
  await count(0, 1, 3)
  await count(3 * HOUR_MS, 60, 40)
  await count(4 * 24 * HOUR_MS, 60, 500)
  expect(await failures()).toEqual([3, 3, 40])
  await opened(4 * HOUR_MS)
  expect(await failures()).toEqual([43, 3, 40])
  await opened(4 * 24 * HOUR_MS)
  expect(await failures()).toEqual([543, 3, 40])
})

test('the largest backlog of an incident is kept', async () => {
  const { pool } = api.database
  const peak = async () =>
    (
      await api.database.prisma.incident.findFirstOrThrow({
        where: { id: parseId('incident', id) as string },
      })
    ).peakWaiting
  await publish(api, tenant.organizationId, 3)
  await raisePeaks(pool)
  expect(await peak()).toBe(3)
  await pool.query(
    `update posthorn.deliveries set parked_at = null, parked_reason = null, state = 'canceled', finished_at = now()
     where organization_id = $1 and parked_at is not null`,
    [tenant.organizationId],
  )
  await raisePeaks(pool)
  expect(await peak()).toBe(3)
})

describe('an incident that a person', () => {
  test('acknowledges and assigns says who did it, and again changes nothing', async () => {
    const input = { acknowledged: true, assignee: ' Ada Lovelace ' }
    expect(await update(input)).toMatchObject({
      incident: { acknowledgedBy: expect.stringMatching(/./), assignee: 'Ada Lovelace' },
    })
    await update(input)
    expect(await history()).toMatchObject([
      { action: 'ASSIGNED', assignee: 'Ada Lovelace', actor: expect.stringMatching(/./) },
      { action: 'ACKNOWLEDGED' },
      { action: 'OPENED', actor: null, webhookState: 'ON_HOLD', cause: '500' },
    ])
    const { rows } = await api.database.pool.query(
      `select action, before, after from posthorn.audit_log where subject_id = $1`,
      [id],
    )
    expect(rows).toEqual([
      {
        action: 'incident.updated',
        before: { acknowledged: false, assignee: null },
        after: { acknowledged: true, assignee: 'Ada Lovelace' },
      },
    ])
  })

  test('no longer takes care of has nobody', async () => {
    await update({ acknowledged: true, assignee: 'Ada' })
    expect(await update({ acknowledged: false, assignee: null })).toMatchObject({
      incident: { acknowledgedAt: null, acknowledgedBy: null, assignee: null },
    })
    const actions = (await history()).map(({ action }: { action: string }) => action)
    expect(actions.slice(0, 2).toSorted()).toEqual(['UNACKNOWLEDGED', 'UNASSIGNED'])
  })

  test('snoozes leaves the open ones until the time is over', async () => {
    const until = inAnHour()
    expect(await update({ snoozedUntil: until })).toMatchObject({
      incident: { state: 'SNOOZED', snoozedUntil: until },
    })
    expect([await list(['OPEN']), await list(['SNOOZED'])]).toEqual([[], [id]])
    // An hour passes.
    await api.database.pool.query(
      `update posthorn.incidents set snoozed_until = snoozed_until - interval '1 hour'`,
    )
    expect([await list(['OPEN']), await list(['SNOOZED'])]).toEqual([[id], []])
    await update({ snoozedUntil: until })
    expect(await update({ snoozedUntil: null })).toMatchObject({ incident: { state: 'OPEN' } })
  })

  test.each([
    [{ assignee: '' }, 'assignee'],
    [{ assignee: 'a'.repeat(101) }, 'assignee'],
    [{ acknowledged: null }, 'acknowledged'],
    [{ snoozedUntil: '2020-01-01T00:00:00Z' }, 'snoozedUntil'],
    [{ snoozedUntil: new Date(Date.now() + 91 * 24 * HOUR_MS).toISOString() }, 'snoozedUntil'],
  ])('changes to %j stays the same', async (input, field) => {
    expect(await update(input)).toMatchObject({
      __typename: 'ValidationError',
      issues: [{ path: [field] }],
    })
    expect(await history()).toHaveLength(1)
  })

  test('wants to change after it was closed, or of another organization, stays the same', async () => {
    const other = await api.tenant()
    expect(await update({ acknowledged: true }, other.token)).toMatchObject({
      __typename: 'NotFoundError',
    })
    expect(await list(undefined, other.token)).toEqual([])
    await api.call(
      tenant.token,
      'mutation ($id: ID!) { updateWebhook(id: $id, input: { enabled: false }) { __typename } }',
      { id: webhookId },
    )
    expect(await update({ acknowledged: true })).toMatchObject({ __typename: 'ConflictError' })
    expect([await list(['CLOSED']), await list(['OPEN', 'SNOOZED'])]).toEqual([[id], []])
  })

  test('changes with a named key has its name', async () => {
    const { token } = await createApiKey(api.database.prisma, {
      organizationId: tenant.organizationId,
      scopes: ['webhooks:read', 'webhooks:write'],
      name: 'On call',
    })
    expect(await update({ acknowledged: true }, token)).toMatchObject({
      incident: { acknowledgedBy: 'On call' },
    })
  })
})

test('the open ones come first, the worst of them first, and the closed ones by their end', async () => {
  const { pool } = api.database
  const set = (incident: string, columns: string) =>
    pool.query(`update posthorn.incidents set ${columns} where id = $1`, [
      parseId('incident', incident),
    ])
  const others: string[] = []
  for (let i = 0; i < 4; i++) others.push(await openIncident(await trouble()))
  const [failing = '', degraded = '', long = '', recent = ''] = others
  await set(failing, `webhook_state = 'failing'`)
  await set(degraded, `webhook_state = 'degraded'`)
  const closed = (ago: string) =>
    `closed_at = now() - interval '${ago}', close_reason = 'recovered'`
  await set(long, closed('2 hours'))
  await set(recent, closed('1 hour'))
  expect(await list()).toEqual([id, failing, degraded, recent, long])

  const pages: string[] = []
  let after: string | null = null
  do {
    const { data } = await api.call(tenant.token, document('incidents', 'Incidents'), {
      first: 2,
      after,
    })
    pages.push(...data.incidents.nodes.map((node: { id: string }) => node.id))
    after = data.incidents.pageInfo.hasNextPage ? data.incidents.pageInfo.endCursor : null
  } while (after !== null)
  expect(pages).toEqual([id, failing, degraded, recent, long])

  const since = new Date(Date.now() - 1.5 * HOUR_MS).toISOString()
  const { data } = await api.call(tenant.token, document('incidents', 'Incidents'), {
    filter: { states: ['CLOSED'], since },
  })
  expect(data.incidents.nodes.map((node: { id: string }) => node.id)).toEqual([recent])
})

test('an incident outlives its webhook, without it', async () => {
  await api.call(tenant.token, 'mutation ($id: ID!) { deleteWebhook(id: $id) { __typename } }', {
    id: webhookId,
  })
  const { data } = await api.call(
    tenant.token,
    '{ incidents { nodes { id closeReason webhookId webhook { id } } } }',
  )
  expect(data.incidents.nodes).toEqual([
    {
      id: publicId('incident', parseId('incident', id) as string),
      closeReason: 'DELETED',
      webhookId,
      webhook: null,
    },
  ])
})
