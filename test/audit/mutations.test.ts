import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createApiKey } from '../../src/api-keys/api-key.ts'
import type { AuditAction } from '../../src/audit/audit-entry.ts'
import { parseId, publicId } from '../../src/db/ids.ts'
import { holdWebhook } from '../../src/scheduling/circuit-breaker.ts'
import { schema } from '../../src/server/schema.ts'
import { type Api, openApi } from '../graphql/support/api.ts'
import { document } from '../graphql/support/document.ts'
import { addWebhook, deliveryIds, publish } from '../graphql/support/rows.ts'
import { JOINED, TICKET } from '../support/factories.ts'

let api: Api
let operator: Awaited<ReturnType<Api['tenant']>>

beforeAll(async () => {
  api = await openApi()
  operator = await api.tenant(['admin'])
})
afterAll(() => api[Symbol.asyncDispose]())

/** The only one without an example. */
interface Things {
  readonly webhookId: string
  readonly deliveryId: string
  readonly jobId: string
}

/** One of each thing, made anew. */
async function things(): Promise<Things> {
  const { id: webhookId } = await addWebhook(api, operator.organizationId)
  await publish(api, operator.organizationId)
  const [deliveryId = ''] = await deliveryIds(api.database, operator.organizationId)
  const { rows } = await api.database.pool.query(
    'select id::text as id from graphile_worker.jobs where key = $1',
    [deliveryId],
  )
  return { webhookId, deliveryId, jobId: rows[0].id }
}

type Variables = (made: Things) => Record<string, unknown> | Promise<Record<string, unknown>>

/** Every mutation that changes something: its example, what it is called with, and what is written down. */
const AUDITED: Record<string, [AuditAction, file: string, Variables]> = {
  createWebhook: [
    'webhook.created',
    'webhooks',
    () => ({ input: { url: 'https://example.com', eventSubscriptions: [JOINED] } }),
  ],
  updateWebhook: [
    'webhook.updated',
    'webhooks',
    ({ webhookId }) => ({ id: webhookId, input: { description: 'Changed' } }),
  ],
  deleteWebhook: ['webhook.deleted', 'webhooks', ({ webhookId }) => ({ id: webhookId })],
  rotateSigningSecret: ['signing_secret.rotated', 'webhooks', ({ webhookId }) => ({ webhookId })],
  resumeWebhook: [
    'webhook.resumed',
    'webhooks',
    async ({ webhookId }) => {
      await holdWebhook(api.database.pool, parseId('webhook', webhookId) as string, new Date())
      return { id: webhookId }
    },
  ],
  createApiKey: ['api_key.created', 'api-keys', () => ({ input: { scopes: ['webhooks:read'] } })],
  updateApiKey: [
    'api_key.updated',
    'api-keys',
    async () => ({ id: await spareKey(), input: { requestsPerSecond: 7 } }),
  ],
  revokeApiKey: ['api_key.revoked', 'api-keys', async () => ({ id: await spareKey() })],
  createPortalSession: [
    'portal_session.created',
    'portal-sessions',
    () => ({ input: { scopes: ['webhooks:read'] } }),
  ],
  testDelivery: [
    'delivery.tested',
    'deliveries',
    ({ webhookId }) => ({ webhookId, eventType: JOINED }),
  ],
  redeliver: ['delivery.redelivered', 'deliveries', ({ deliveryId }) => ({ id: deliveryId })],
  cancelDelivery: ['delivery.canceled', 'deliveries', ({ deliveryId }) => ({ id: deliveryId })],
  recoverDeliveries: [
    'recovery.started',
    'recoveries',
    ({ webhookId }) => ({ input: { webhookId, since: new Date(Date.now() - 60_000) } }),
  ],
  cancelRecovery: [
    'recovery.canceled',
    'recoveries',
    async (made) => ({ id: (await run('recoverDeliveries', made)).recovery.id }),
  ],
  createEventType: [
    'event_type.created',
    'event-types',
    () => ({ input: { name: `made.${nextNumber()}`, description: 'Created.' } }),
  ],
  updateEventType: [
    'event_type.updated',
    'event-types',
    () => ({ name: JOINED, input: { description: `Somebody joined, ${nextNumber()}.` } }),
  ],
  archiveEventType: [
    'event_type.archived',
    'event-types',
    async () => {
      await api.database.prisma.eventType.update({
        where: { name: TICKET },
        data: { archivedAt: null },
      })
      return { name: TICKET }
    },
  ],
  unarchiveEventType: [
    'event_type.unarchived',
    'event-types',
    async () => {
      await api.database.prisma.eventType.update({
        where: { name: TICKET },
        data: { archivedAt: new Date() },
      })
      return { name: TICKET }
    },
  ],
  createOrganization: ['organization.created', 'organizations', () => ({ name: 'Another' })],
  renameOrganization: [
    'organization.renamed',
    'organizations',
    () => ({ id: operator.publicOrganizationId, name: `Renamed ${nextNumber()}` }),
  ],
  runJobsNow: ['job.run_now', 'jobs', ({ jobId }) => ({ ids: [jobId] })],
  rescheduleJobs: [
    'job.rescheduled',
    'jobs',
    ({ jobId }) => ({ ids: [jobId], runAt: '2030-01-01T00:00:00Z' }),
  ],
  failJobs: ['job.failed', 'jobs', ({ jobId }) => ({ ids: [jobId], reason: 'No longer wanted.' })],
  completeJobs: ['job.completed', 'jobs', ({ jobId }) => ({ ids: [jobId] })],
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

/** Those that change nothing but add to what is a record itself. */
const NOT_AUDITED: Record<string, string> = {
  publishEvent: 'the event is on record itself, with its time and its deliveries',
  publishEvents: 'the same',
}

/** Prepares what a mutation needs; answers a function that calls it. */
async function prepared(name: string, made: Things) {
  const [, file, variables] = AUDITED[name] as (typeof AUDITED)[string]
  const input = await variables(made)
  const operation = name.charAt(0).toUpperCase() + name.slice(1)
  return () => api.call(operator.token, document(file, operation), input)
}

async function run(name: string, made: Things) {
  const { data, errors } = await (await prepared(name, made))()
  expect(errors).toBeUndefined()
  expect(data[name].__typename).toBe(`${name.charAt(0).toUpperCase()}${name.slice(1)}Success`)
  return data[name]
}

const entries = () => api.database.prisma.auditEntry.findMany({ orderBy: { id: 'asc' } })

test('every mutation there is is written down, or is said here not to be', () => {
  const mutations = Object.keys(schema.getMutationType()?.getFields() ?? {})
  expect([...Object.keys(AUDITED), ...Object.keys(NOT_AUDITED)].toSorted()).toEqual(
    mutations.toSorted(),
  )
})

const actions = Object.entries(AUDITED).map(([name, [action]]) => [name, action] as const)

test.each(actions)('%s is written down as %s', async (name, action) => {
  const made = await things()
  const before = (await entries()).length
  await run(name, made)
  // What it was made of may have been written down too.
  const added = (await entries()).slice(before)
  const ofAction = added.filter((other) => other.action === action)
  expect(ofAction).toMatchObject([{ source: 'graphql', apiKeyId: operator.keyId }])
  const [entry] = ofAction
  const belongsToAll = action.startsWith('event_type.')
  if (belongsToAll) expect(entry?.organizationId).toBeNull()
  else expect(entry?.organizationId).not.toBeNull()
})

describe('when it cannot be written down', () => {
  beforeAll(async () => {
    await api.database.pool.query(
      `alter table posthorn.audit_log add constraint nothing_more check (source <> 'graphql') not valid`,
    )
  })
  afterAll(async () => {
    await api.database.pool.query('alter table posthorn.audit_log drop constraint nothing_more')
  })

  // Canceling one needs one to begin over GraphQL, which is refused here.
  const alone = Object.keys(AUDITED).filter((name) => name !== 'cancelRecovery')
  test.each(alone)('%s changes nothing', async (name) => {
    // What the test itself prepares may change; what the mutation does may not.
    const call = await prepared(name, await things())
    const before = await everything()
    const { errors } = await call()
    expect(errors).toMatchObject([{ extensions: { code: 'INTERNAL' } }])
    expect(await everything()).toEqual(before)
  })
})

/** What mutations could have changed, whole. */
async function everything() {
  const { rows } = await api.database.pool.query(`
    select
      (select json_agg(t order by t.id) from posthorn.webhooks as t) as webhooks,
      (select json_agg(t order by t.id) from posthorn.signing_secrets as t) as secrets,
      (select json_agg(t order by t.webhook_id) from posthorn.webhook_schedules as t) as schedules,
      (select json_agg(to_jsonb(t) - 'last_used_at' order by t.id) from posthorn.api_keys as t) as keys,
      (select json_agg(t order by t.id) from posthorn.organizations as t) as organizations,
      (select json_agg(t order by t.name) from posthorn.event_types as t) as types,
      (select json_agg(t order by t.id) from posthorn.deliveries as t) as deliveries,
      (select json_agg(t order by t.id) from posthorn.events as t) as events,
      (select json_agg(t order by t.id) from posthorn.recoveries as t) as recoveries,
      (select json_agg(t order by t.id) from graphile_worker.jobs as t) as jobs`)
  return rows[0]
}
