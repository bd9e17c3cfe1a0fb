import { expect, test } from 'vitest'
import { COMMAND_LINE } from '../../../src/auth/access/actor.ts'
import { writeAuditEntry } from '../../../src/auth/audit/audit-entry.ts'
import { mintId } from '../../../src/db/ids.ts'
import { useApi } from '../../graphql/support/api.ts'
import { JOINED } from '../../support/factories.ts'

// An operator reads the entries of the whole installation.
const api = await useApi('own')
const operator = await api.tenant(['admin'])

interface Named {
  readonly action: string
  readonly subjectId: string
  readonly subjectName: string | null
  readonly subjectDeleted: boolean
}

const LOG = `query ($filter: AuditFilter) {
  auditLog(filter: $filter, first: 100) { nodes { action subjectId subjectName subjectDeleted } } }`

const log = async (filter: object): Promise<Named[]> =>
  (await operator.ask(LOG, { filter })).auditLog.nodes

/** Runs an example of the documentation. */
async function run(file: string, operation: string, variables: object) {
  expect((await operator.run(file, operation, variables)).__typename).toMatch(/Success$/)
}

test('each subject has its name, also after it is deleted or revoked, and a deleted one says so', async () => {
  const input = { url: 'https://hooks.example.com/a', eventSubscriptions: [JOINED], enabled: true }
  await run('webhooks', 'CreateWebhook', { input })
  const [{ subjectId: webhookId = '' } = {}] = await log({ actions: ['webhook.created'] })
  await operator.publish()
  const [deliveryId = ''] = await operator.deliveryIds()
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

  const entries = await log({ sources: ['GRAPHQL'] })
  for (const { subjectId, subjectDeleted } of entries) {
    expect(subjectDeleted, subjectId).toBe(subjectId === webhookId)
  }
  const names = Object.fromEntries(entries.map(({ action, subjectName }) => [action, subjectName]))
  expect(names).toEqual({
    'webhook.created': 'hooks.example.com',
    'webhook.deleted': 'hooks.example.com',
    'delivery.canceled': `${JOINED} to hooks.example.com`,
    'bulk_task.started': null,
    'api_key.created': 'Till',
    'api_key.revoked': 'Till',
    'event_type.updated': JOINED,
    'organization.updated': 'Autumn Fair',
  })
})

const theirs = await (await api.tenant()).addWebhook()

test.each([
  ['a delivery past its retention', 'delivery.redelivered', mintId('delivery')],
  ['the encryption keys', 'encryption.rotated', 'POSTHORN_ENCRYPTION_KEYS'],
  ['an object of another organization', 'webhook.updated', theirs.id],
] as const)('%s has no name', async (_, action, subjectId) => {
  const { organizationId } = operator
  await writeAuditEntry(api.database.prisma, COMMAND_LINE, { action, organizationId, subjectId })
  const [entry] = await log({ subjectIds: [subjectId] })
  expect(entry).toMatchObject({ subjectId, subjectName: null })
})
