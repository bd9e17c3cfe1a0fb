import { expect, test } from 'vitest'
import { COMMAND_LINE } from '../../src/access/actor.ts'
import { type AuditAction, writeAuditEntry } from '../../src/audit/audit-entry.ts'
import { mintId } from '../../src/db/ids.ts'
import { useApi } from '../graphql/support/api.ts'
import { document } from '../graphql/support/document.ts'
import { addWebhook, deliveryIds, publish } from '../graphql/support/rows.ts'
import { JOINED } from '../support/factories.ts'

// An operator reads the entries of the whole installation.
const api = await useApi('own')
const operator = await api.tenant(['admin'])

interface Named {
  readonly action: string
  readonly subjectId: string
  readonly subjectName: string | null
}

const LOG = `query ($filter: AuditFilter) {
  auditLog(filter: $filter, first: 100) { nodes { action subjectId subjectName } } }`

async function log(filter: object = {}, token = operator.token): Promise<Named[]> {
  const { data, errors } = await api.call(token, LOG, { filter })
  expect(errors).toBeUndefined()
  return data.auditLog.nodes
}

/** Runs an example of the documentation. */
async function run(file: string, operation: string, variables: Record<string, unknown>) {
  const { data, errors } = await api.call(operator.token, document(file, operation), variables)
  expect(errors).toBeUndefined()
  const [result] = Object.values(data) as { __typename: string }[]
  expect(result?.__typename).toMatch(/Success$/)
}

test('each subject has its name, also after it is deleted or revoked', async () => {
  const input = { url: 'https://hooks.example.com/a', eventSubscriptions: [JOINED], enabled: true }
  await run('webhooks', 'CreateWebhook', { input })
  const [{ subjectId: webhookId = '' } = {}] = await log({ actions: ['webhook.created'] })
  await publish(api, operator.organizationId)
  const [deliveryId = ''] = await deliveryIds(api.database, operator.organizationId)
  await run('bulk-tasks', 'CancelDeliveries', { input: { ids: [deliveryId] } })
  await run('bulk-tasks', 'RedeliverInBackground', { input: { filter: { states: ['CANCELED'] } } })
  await run('api-keys', 'CreateApiKey', { input: { name: 'Till', scopes: ['webhooks:read'] } })
  const [{ subjectId: keyId = '' } = {}] = await log({ subjectKinds: ['API_KEY'] })
  await run('api-keys', 'RevokeApiKey', { id: keyId })
  await run('event-types', 'UpdateEventType', {
    id: `type_${JOINED}`,
    input: { description: 'Came.' },
  })
  await run('organizations', 'UpdateOrganization', {
    id: operator.publicOrganizationId,
    input: { name: 'Autumn Fair' },
  })
  await run('webhooks', 'DeleteWebhook', { id: webhookId })

  const names = Object.fromEntries(
    (await log({ sources: ['GRAPHQL'] })).map(({ action, subjectName }) => [action, subjectName]),
  )
  expect(names).toEqual({
    'webhook.created': 'hooks.example.com',
    'webhook.deleted': 'hooks.example.com',
    'delivery.canceled': `${JOINED} to hooks.example.com`,
    'bulk_task.started': 'Redelivery of 1 delivery',
    'api_key.created': 'Till',
    'api_key.revoked': 'Till',
    'event_type.updated': JOINED,
    'organization.updated': 'Autumn Fair',
  })
})

test('each entry of a deleted webhook says so, and no other entry', async () => {
  const { id } = await addWebhook(api, operator.organizationId)
  const { id: kept } = await addWebhook(api, operator.organizationId)
  await run('webhooks', 'UpdateWebhook', { id, input: { description: 'Kiosk' } })
  await run('webhooks', 'UpdateWebhook', { id: kept, input: { description: 'Shop' } })
  await run('webhooks', 'DeleteWebhook', { id })
  const { data } = await api.call(
    operator.token,
    `query ($ids: [String!]) { auditLog(filter: { subjectIds: $ids }) { nodes { subjectId subjectDeleted } } }`,
    { ids: [id, kept] },
  )
  const entries: { subjectId: string; subjectDeleted: boolean }[] = data.auditLog.nodes
  expect(entries).toHaveLength(5)
  for (const { subjectId, subjectDeleted } of entries) expect(subjectDeleted).toBe(subjectId === id)
})

test.each([
  ['a delivery past its retention', 'delivery.redelivered', mintId('delivery')],
  ['the encryption keys', 'encryption.rotated', 'POSTHORN_ENCRYPTION_KEYS'],
] as const)('%s has no name', async (_, action, subjectId) => {
  await entryOf(action, subjectId)
  const [entry] = await log({ subjectIds: [subjectId] })
  expect(entry).toMatchObject({ subjectId, subjectName: null })
})

test('an object of another organization has no name', async () => {
  const other = await api.tenant(['keys:manage'])
  const { id } = await addWebhook(api, other.organizationId)
  await entryOf('webhook.updated', id)
  const [entry] = await log({ subjectIds: [id] })
  expect(entry).toMatchObject({ subjectName: null })
})

async function entryOf(action: AuditAction, subjectId: string): Promise<void> {
  const { organizationId } = operator
  await writeAuditEntry(api.database.prisma, COMMAND_LINE, { action, organizationId, subjectId })
}
