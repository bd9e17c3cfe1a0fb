import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { SCOPES } from '../../../src/auth/access/scope.ts'
import type { AuditAction } from '../../../src/auth/audit/audit-entry.ts'
import { schema } from '../../../src/server/schema.ts'
import { allRows } from '../../graphql/support/all-rows.ts'
import { useApi } from '../../graphql/support/api.ts'
import { operationNamed } from '../../graphql/support/document.ts'
import { exampleCalls } from '../../graphql/support/example-calls.ts'

// All rows of the database are compared, and its audit log is closed.
const api = await useApi('own')
const operator = await api.tenant(SCOPES)
const { variablesOf } = exampleCalls(api, operator)

/** Every mutation that changes something, with its audit action. */
const AUDITED: Record<string, AuditAction> = {
  createWebhook: 'webhook.created',
  updateWebhook: 'webhook.updated',
  upsertWebhook: 'webhook.created',
  deleteWebhook: 'webhook.deleted',
  rotateSigningSecret: 'signing_secret.rotated',
  revealHeaders: 'custom_headers.revealed',
  probeWebhook: 'webhook.probed',
  resumeWebhook: 'webhook.resumed',
  createApiKey: 'api_key.created',
  updateApiKey: 'api_key.updated',
  revokeApiKey: 'api_key.revoked',
  createPortalSession: 'portal_session.created',
  createFrontendSession: 'frontend_session.created',
  testDelivery: 'delivery.tested',
  redeliver: 'delivery.redelivered',
  cancelDeliveries: 'bulk_task.started',
  cancelBulkTask: 'bulk_task.canceled',
  erase: 'bulk_task.started',
  createEventType: 'event_type.created',
  updateEventType: 'event_type.updated',
  createOrganization: 'organization.created',
  updateOrganization: 'organization.updated',
  upsertOrganization: 'organization.created',
  deleteOrganization: 'organization.deleted',
  setOperationalEvents: 'operational_events.updated',
  deleteConsumer: 'consumer.deleted',
  acknowledgeIncident: 'incident.updated',
  setAlertAddress: 'alert_address.added',
  removeAlertAddress: 'alert_address.removed',
}

/** Mutations whose result is a record itself. */
const NOT_AUDITED = ['publishEvent', 'publishEvents']

/** Prepares the variables of a mutation, and returns a function that calls it. */
async function prepare(name: string) {
  const operation = name.charAt(0).toUpperCase() + name.slice(1)
  const variables = await variablesOf(operation)
  return () => api.call(operator.token, operationNamed(operation), variables)
}

const entries = () => api.database.prisma.auditEntry.findMany({ orderBy: { id: 'asc' } })

test('every mutation is audited, or listed here as not audited', () => {
  const mutations = Object.keys(schema.getMutationType()?.getFields() ?? {})
  expect([...Object.keys(AUDITED), ...NOT_AUDITED].toSorted()).toEqual(mutations.toSorted())
})

test.each(Object.entries(AUDITED))('%s is audited as %s', async (name, action) => {
  const call = await prepare(name)
  const before = (await entries()).length
  const { data, errors } = await call()
  expect(errors).toBeUndefined()
  expect(data[name].__typename).toMatch(/Success$/)
  const added = (await entries()).slice(before)
  const ofAction = added.filter((other) => other.action === action)
  expect(ofAction).toMatchObject([{ source: 'graphql', apiKeyId: operator.keyId }])
  const isGlobal = /^(event_type[.]|operational_events[.]|organization[.]deleted$)/.test(action)
  if (isGlobal) expect(ofAction[0]?.organizationId).toBeNull()
  else expect(ofAction[0]?.organizationId).not.toBeNull()
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

  // To cancel a task, one must be started over GraphQL, which fails here.
  const independent = Object.keys(AUDITED).filter((name) => name !== 'cancelBulkTask')
  test.each(independent)('%s changes nothing', async (name) => {
    // The preparation changes rows, so the snapshot comes after it.
    const call = await prepare(name)
    const before = await allRows(api.database.pool)
    const { errors } = await call()
    expect(errors).toMatchObject([{ extensions: { code: 'INTERNAL' } }])
    expect(await allRows(api.database.pool)).toEqual(before)
  })
})
