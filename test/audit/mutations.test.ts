import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { AuditAction } from '../../src/audit/audit-entry.ts'
import { parseId, publicId } from '../../src/db/ids.ts'
import { putOnHold } from '../../src/scheduling/circuit-breaker.ts'
import { schema } from '../../src/server/schema.ts'
import { useApi } from '../graphql/support/api.ts'
import { operationNamed } from '../graphql/support/document.ts'
import { addWebhook, deliveryIds, publish } from '../graphql/support/rows.ts'
import { createApiKey } from '../support/api-keys.ts'
import { JOINED } from '../support/factories.ts'

const api = await useApi()
const operator = await api.tenant(['admin'])

/** The objects that mutations change. */
interface Subjects {
  readonly webhookId: string
  readonly eventId: string
  readonly deliveryId: string
  readonly jobId: string
}

/** Creates new subjects. */
async function createSubjects(): Promise<Subjects> {
  const { id: webhookId } = await addWebhook(api, operator.organizationId)
  const [eventId = ''] = await publish(api, operator.organizationId)
  const [deliveryId = ''] = await deliveryIds(api.database, operator.organizationId)
  const { rows } = await api.database.pool.query(
    'select id::text as id from graphile_worker.jobs where key = $1',
    [deliveryId],
  )
  return { webhookId, eventId, deliveryId, jobId: rows[0].id }
}

type Variables = (subjects: Subjects) => Record<string, unknown> | Promise<Record<string, unknown>>

/** Every mutation that changes something: its audit action and its variables. */
const AUDITED: Record<string, [AuditAction, Variables]> = {
  createWebhook: [
    'webhook.created',
    () => ({ input: { url: 'https://example.com', eventSubscriptions: [JOINED] } }),
  ],
  updateWebhook: [
    'webhook.updated',
    ({ webhookId }) => ({ id: webhookId, input: { description: 'Changed' } }),
  ],
  upsertWebhook: [
    'webhook.created',
    () => ({
      uid: `upserted-${nextNumber()}`,
      input: { url: 'https://example.com', eventSubscriptions: [JOINED] },
    }),
  ],
  deleteWebhook: ['webhook.deleted', ({ webhookId }) => ({ id: webhookId })],
  rotateSigningSecret: ['signing_secret.rotated', ({ webhookId }) => ({ id: webhookId })],
  revealHeaders: ['custom_headers.revealed', ({ webhookId }) => ({ id: webhookId })],
  probeWebhook: [
    'webhook.probed',
    async ({ webhookId }) => {
      await putOnHold(api.database.pool, parseId('webhook', webhookId) as string)
      await publish(api, operator.organizationId)
      return { id: webhookId }
    },
  ],
  resumeWebhook: [
    'webhook.resumed',
    async ({ webhookId }) => {
      await putOnHold(api.database.pool, parseId('webhook', webhookId) as string)
      return { id: webhookId }
    },
  ],
  createApiKey: ['api_key.created', () => ({ input: { scopes: ['webhooks:read'] } })],
  updateApiKey: [
    'api_key.updated',
    async () => ({ id: await spareKey(), input: { requestsPerSecond: 7 } }),
  ],
  revokeApiKey: ['api_key.revoked', async () => ({ id: await spareKey() })],
  createPortalSession: ['portal_session.created', () => ({ input: { scopes: ['webhooks:read'] } })],
  createFrontendSession: [
    'frontend_session.created',
    () => ({ input: { scopes: ['webhooks:read'] } }),
  ],
  testDelivery: [
    'delivery.tested',
    ({ webhookId }) => ({ id: webhookId, input: { eventType: JOINED } }),
  ],
  redeliver: ['delivery.redelivered', ({ deliveryId }) => ({ ids: [deliveryId] })],
  cancelDeliveries: [
    'bulk_task.started',
    ({ webhookId }) => ({ input: { filter: { webhookIds: [webhookId] } } }),
  ],
  cancelBulkTask: [
    'bulk_task.canceled',
    async (subjects) => ({ id: (await run('cancelDeliveries', subjects)).task.id }),
  ],
  erase: [
    'bulk_task.started',
    ({ eventId }) => ({ input: { eventIds: [eventId], unsent: 'SEND_FIRST' } }),
  ],
  createEventType: [
    'event_type.created',
    () => ({ input: { name: `created.${nextNumber()}`, description: 'Created.' } }),
  ],
  updateEventType: [
    'event_type.updated',
    () => ({ id: `type_${JOINED}`, input: { description: `Somebody joined, ${nextNumber()}.` } }),
  ],
  createOrganization: ['organization.created', () => ({ input: { name: 'Another' } })],
  updateOrganization: [
    'organization.updated',
    () => ({
      id: operator.publicOrganizationId,
      input: { metadata: { number: `${nextNumber()}` } },
    }),
  ],
  upsertOrganization: [
    'organization.created',
    () => ({ uid: `upserted-${nextNumber()}`, input: { name: 'Upserted' } }),
  ],
  deleteOrganization: [
    'organization.deleted',
    async () => ({ id: (await api.tenant()).publicOrganizationId }),
  ],
  setOperationalEvents: ['operational_events.updated', () => ({ input: { enabled: true } })],
  deleteConsumer: ['consumer.deleted', async () => ({ id: await consumer() })],
  acknowledgeIncident: [
    'incident.updated',
    async ({ webhookId }) => ({ id: await incidentOf(webhookId), acknowledged: true }),
  ],
  setAlertAddress: [
    'alert_address.added',
    () => ({
      input: { email: `ada-${nextNumber()}@example.com`, kinds: ['WEBHOOK_ON_HOLD'] },
    }),
  ],
  removeAlertAddress: ['alert_address.removed', async () => ({ id: await alertAddress() })],
}
let lastNumber = 0

function nextNumber(): number {
  lastNumber += 1
  return lastNumber
}

async function spareKey(): Promise<string> {
  const { key } = await createApiKey(api.database.prisma, {
    organizationId: operator.organizationId,
    scopes: ['webhooks:read'],
  })
  return publicId('apiKey', key.id)
}

async function incidentOf(webhookId: string): Promise<string> {
  await putOnHold(api.database.pool, parseId('webhook', webhookId) as string)
  const { id } = await api.database.prisma.incident.findFirstOrThrow({ orderBy: { id: 'desc' } })
  return publicId('incident', id)
}

async function alertAddress(): Promise<string> {
  const { id } = await api.database.prisma.alertAddress.create({
    data: {
      organizationId: operator.organizationId,
      email: `grace-${nextNumber()}@example.com`,
      kinds: ['posthorn.webhook.on_hold'],
    },
  })
  return publicId('alertAddress', id)
}

async function consumer(): Promise<string> {
  const { id } = await api.database.prisma.consumer.create({
    data: {
      organizationId: operator.organizationId,
      name: `consumer-${nextNumber()}`,
      readPosition: 1,
      readIndex: 0,
    },
  })
  return publicId('consumer', id)
}

/** Mutations whose result is a record itself. */
const NOT_AUDITED: Record<string, string> = {
  publishEvent: 'the event itself records its time and its deliveries',
  publishEvents: 'the same',
}

/** Prepares the variables of a mutation, and returns a function that calls it. */
async function prepare(name: string, subjects: Subjects) {
  const [, variables] = AUDITED[name] as (typeof AUDITED)[string]
  const input = await variables(subjects)
  const operation = name.charAt(0).toUpperCase() + name.slice(1)
  return () => api.call(operator.token, operationNamed(operation), input)
}

async function run(name: string, subjects: Subjects) {
  const { data, errors } = await (await prepare(name, subjects))()
  expect(errors).toBeUndefined()
  expect(data[name].__typename).toBe(`${name.charAt(0).toUpperCase()}${name.slice(1)}Success`)
  return data[name]
}

const entries = () => api.database.prisma.auditEntry.findMany({ orderBy: { id: 'asc' } })

test('every mutation is audited, or listed here as not audited', () => {
  const mutations = Object.keys(schema.getMutationType()?.getFields() ?? {})
  expect([...Object.keys(AUDITED), ...Object.keys(NOT_AUDITED)].toSorted()).toEqual(
    mutations.toSorted(),
  )
})

const actions = Object.entries(AUDITED).map(([name, [action]]) => [name, action] as const)

test.each(actions)('%s is audited as %s', async (name, action) => {
  const subjects = await createSubjects()
  const before = (await entries()).length
  await run(name, subjects)
  // Preparing the variables can add entries too.
  const added = (await entries()).slice(before)
  const ofAction = added.filter((other) => other.action === action)
  expect(ofAction).toMatchObject([{ source: 'graphql', apiKeyId: operator.keyId }])
  const [entry] = ofAction
  const isGlobal = /^(event_type[.]|operational_events[.]|organization[.]deleted$)/.test(action)
  if (isGlobal) expect(entry?.organizationId).toBeNull()
  else expect(entry?.organizationId).not.toBeNull()
})

describe('if the audit entry cannot be written', () => {
  beforeAll(async () => {
    await api.database.pool.query(
      `alter table posthorn.audit_log add constraint nothing_more check (source <> 'graphql') not valid`,
    )
  })
  afterAll(async () => {
    await api.database.pool.query('alter table posthorn.audit_log drop constraint nothing_more')
  })

  // These first create their subject over GraphQL, which fails here.
  const dependent = ['cancelBulkTask']
  const independent = Object.keys(AUDITED).filter((name) => !dependent.includes(name))
  test.each(independent)('%s changes nothing', async (name) => {
    // The preparation changes rows, so the snapshot comes after it.
    const call = await prepare(name, await createSubjects())
    const before = await allRows()
    const { errors } = await call()
    expect(errors).toMatchObject([{ extensions: { code: 'INTERNAL' } }])
    expect(await allRows()).toEqual(before)
  })
})

/** All rows that mutations can change. */
async function allRows() {
  const { rows } = await api.database.pool.query(`
    select
      (select json_agg(t order by t.id) from posthorn.webhooks as t) as webhooks,
      (select json_agg(t order by t.id) from posthorn.signing_secrets as t) as secrets,
      (select json_agg(t order by t.webhook_id) from posthorn.webhook_schedules as t) as schedules,
      (select json_agg(to_jsonb(t) - 'last_used_at' order by t.id) from posthorn.api_keys as t) as keys,
      (select json_agg(t order by t.id) from posthorn.organizations as t) as organizations,
      (select json_agg(t order by t.id) from posthorn.alert_addresses as t) as addresses,
      (select json_agg(t order by t.name) from posthorn.event_types as t) as types,
      (select json_agg(t order by t.id) from posthorn.deliveries as t) as deliveries,
      (select json_agg(t order by t.id) from posthorn.events as t) as events,
      (select json_agg(t order by t.id) from posthorn.bulk_tasks as t) as tasks,
      (select json_agg(t order by t.id) from graphile_worker.jobs as t) as jobs`)
  return rows[0]
}
