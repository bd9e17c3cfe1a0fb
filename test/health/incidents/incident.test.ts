import { beforeEach, describe, expect, test } from 'vitest'
import { parseId, publicId } from '../../../src/db/ids.ts'
import { putOnHold } from '../../../src/scheduling/circuit-breaker.ts'
import { useApi, useTenant } from '../../graphql/support/api.ts'
import { document } from '../../graphql/support/document.ts'
import { addAttempt, addWebhook, deliveryIds, publish } from '../../graphql/support/rows.ts'

let webhookId: string
let id: string

const api = await useApi()
const tenant = useTenant(api)
beforeEach(async () => {
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
  return data.webhook.openIncident?.id ?? ''
}

async function acknowledge(acknowledged = true, token = tenant.token) {
  const { data, errors } = await api.call(token, document('incidents', 'AcknowledgeIncident'), {
    id,
    acknowledged,
  })
  expect(errors).toBeUndefined()
  return data.acknowledgeIncident
}

async function list(states?: string[], token = tenant.token): Promise<string[]> {
  const { data } = await api.call(token, document('incidents', 'Incidents'), {
    filter: states ? { states } : {},
  })
  return data.incidents.nodes.map((node: { id: string }) => node.id)
}

test('an incident has its webhook, its cause and its time', async () => {
  const { data } = await api.call(tenant.token, document('incidents', 'Incidents'), {})
  expect(data.incidents.nodes).toEqual([
    {
      id,
      state: 'OPEN',
      webhookState: 'ON_HOLD',
      cause: '500',
      openedAt: expect.any(String),
      acknowledgedBy: null,
      resolvedAt: null,
      webhook: expect.objectContaining({ id: webhookId }),
    },
  ])
})

describe('an incident that a person', () => {
  test('acknowledges says who did it, again changes nothing, and is open when they take it back', async () => {
    const acknowledged = {
      incident: { state: 'ACKNOWLEDGED', acknowledgedBy: expect.stringMatching(/./) },
    }
    expect(await acknowledge()).toMatchObject(acknowledged)
    expect(await acknowledge()).toMatchObject(acknowledged)
    expect([await list(['OPEN']), await list(['ACKNOWLEDGED'])]).toEqual([[], [id]])
    const { rows } = await api.database.pool.query(
      `select action, before, after from posthorn.audit_log where subject_id = $1`,
      [id],
    )
    expect(rows).toEqual([
      {
        action: 'incident.updated',
        before: { acknowledged: false },
        after: { acknowledged: true },
      },
    ])
    const open = { state: 'OPEN', acknowledgedAt: null, acknowledgedBy: null }
    expect(await acknowledge(false)).toMatchObject({ incident: open })
  })

  test('wants to change after it was resolved, or of another organization, stays the same', async () => {
    const other = await api.tenant()
    expect(await acknowledge(true, other.token)).toMatchObject({ __typename: 'NotFoundError' })
    expect(await list(undefined, other.token)).toEqual([])
    await api.call(
      tenant.token,
      'mutation ($id: ID!) { updateWebhook(id: $id, input: { enabled: false }) { __typename } }',
      { id: webhookId },
    )
    expect(await acknowledge()).toMatchObject({ __typename: 'ConflictError' })
    expect(await openIncident(webhookId)).toBe('')
    expect([await list(['RESOLVED']), await list(['OPEN', 'ACKNOWLEDGED'])]).toEqual([[id], []])
  })
})

test('the open ones come first, the worst of them first, and the resolved ones by their end', async () => {
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
  await set(long, `resolved_at = now() - interval '2 hours'`)
  await set(recent, `resolved_at = now() - interval '1 hour'`)
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
})

test('an incident outlives its webhook, without it', async () => {
  await api.call(tenant.token, 'mutation ($id: ID!) { deleteWebhook(id: $id) { __typename } }', {
    id: webhookId,
  })
  const { data } = await api.call(
    tenant.token,
    '{ incidents { nodes { id state webhookId webhook { id } } } }',
  )
  expect(data.incidents.nodes).toEqual([
    {
      id: publicId('incident', parseId('incident', id) as string),
      state: 'RESOLVED',
      webhookId,
      webhook: null,
    },
  ])
})
