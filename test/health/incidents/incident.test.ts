import { beforeEach, describe, expect, test } from 'vitest'
import { parseId } from '../../../src/db/ids.ts'
import { putOnHold } from '../../../src/scheduling/circuit-breaker.ts'
import { useApi, useTenant } from '../../graphql/support/api.ts'
import { addAttempt } from '../../graphql/support/rows.ts'

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
  const webhook = await tenant.addWebhook()
  await tenant.publish()
  const [delivery = ''] = await tenant.deliveryIds()
  await addAttempt(api.database, delivery)
  await putOnHold(api.database.pool, parseId('webhook', webhook.id) as string)
  return webhook.id
}

async function openIncident(webhook: string): Promise<string> {
  const query = 'query ($id: ID!) { webhook(id: $id) { openIncident { id } } }'
  return (await tenant.ask(query, { id: webhook })).webhook.openIncident?.id ?? ''
}

const acknowledge = (acknowledged = true, of = tenant) =>
  of.run('incidents', 'AcknowledgeIncident', { id, acknowledged })

async function list(states?: string[], of = tenant): Promise<string[]> {
  const filter = states ? { states } : {}
  return idsOf(await of.run('incidents', 'Incidents', { filter }))
}

const idsOf = ({ nodes }: { readonly nodes: readonly { readonly id: string }[] }) =>
  nodes.map((node) => node.id)

test('an incident has its webhook, its cause and its time', async () => {
  expect((await tenant.run('incidents', 'Incidents')).nodes).toEqual([
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
    expect(await acknowledge(true, other)).toMatchObject({ __typename: 'NotFoundError' })
    expect(await list(undefined, other)).toEqual([])
    await tenant.run('webhooks', 'UpdateWebhook', { id: webhookId, input: { enabled: false } })
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

  const pagesAfter = async (after: string | null): Promise<string[]> => {
    const page = await tenant.run('incidents', 'Incidents', { first: 2, after })
    const { hasNextPage, endCursor } = page.pageInfo
    return [...idsOf(page), ...(hasNextPage ? await pagesAfter(endCursor) : [])]
  }
  expect(await pagesAfter(null)).toEqual([id, failing, degraded, recent, long])
})

test('an incident outlives its webhook, without it', async () => {
  await tenant.run('webhooks', 'DeleteWebhook', { id: webhookId })
  const { incidents } = await tenant.ask(
    '{ incidents { nodes { id state webhookId webhook { id } } } }',
  )
  expect(incidents.nodes).toEqual([{ id, state: 'RESOLVED', webhookId, webhook: null }])
})
