import { randomUUID } from 'node:crypto'
import { SYSTEM } from '../../../src/auth/access/actor.ts'
import { parseId, publicId } from '../../../src/db/ids.ts'
import { updateEventType } from '../../../src/event-types/edit-event-type.ts'
import { saveOrganization } from '../../../src/organizations/organization.ts'
import { putOnHold } from '../../../src/scheduling/circuit-breaker.ts'
import { saveWebhook, updateWebhook } from '../../../src/webhooks/save-webhook.ts'
import { createApiKey } from '../../support/api-keys.ts'
import { JOINED, TICKET } from '../../support/factories.ts'
import type { Api, Tenant } from './api.ts'
import { addAttempt, FAILED } from './rows.ts'

/** What the calls of the operations of docs/examples/graphql need, for a tenant with all scopes. */
export function exampleCalls(api: Api, tenant: Tenant) {
  const { organizationId } = tenant

  /** Creates one object of each kind for each example, so that no example depends on another. */
  async function things() {
    const { id: webhookId } = await tenant.addWebhook()
    const [eventId = ''] = await tenant.publish()
    const [deliveryId = ''] = await tenant.deliveryIds()
    await addAttempt(api.database, deliveryId)
    return { webhookId, eventId, deliveryId }
  }

  async function incidentOf(webhookId: string): Promise<string> {
    await onHold(webhookId)
    const { id } = await api.database.prisma.incident.findFirstOrThrow({ orderBy: { id: 'desc' } })
    return publicId('incident', id)
  }

  async function consumer(): Promise<string> {
    const data = { organizationId, name: randomUUID(), readPosition: 1, readIndex: 0 }
    const { id } = await api.database.prisma.consumer.create({ data })
    return publicId('consumer', id)
  }

  async function alertAddress(): Promise<string> {
    const email = `${randomUUID()}@example.com`
    const data = { organizationId, email, kinds: ['posthorn.webhook.on_hold'] }
    const { id } = await api.database.prisma.alertAddress.create({ data })
    return publicId('alertAddress', id)
  }

  const event = { type: JOINED, data: { name: 'Ada' } }

  const FILTER = {
    all: [
      { path: '$.status', op: 'equals', value: 'paid' },
      { path: '$.total', op: 'greater', value: 100 },
      { path: '$.city', op: 'equals', value: 'Berlin' },
    ],
  }

  type Things = Awaited<ReturnType<typeof things>>

  const WEBHOOK = { url: 'https://example.com/hook', eventSubscriptions: [JOINED] }
  const ID = ({ webhookId }: Things) => ({ id: webhookId })
  const TYPE = () => ({ id: `type_${JOINED}` })

  const VARIABLES: Record<string, (created: Things) => object | Promise<object>> = {
    Webhooks: () => ({ first: 10 }),
    AuditLog: () => ({ first: 10, filter: { actions: ['webhook.created'] } }),
    Webhook: ID,
    CreateWebhook: () => ({ input: { ...WEBHOOK, enabled: true } }),
    WebhookByUid: async () => {
      await saveWebhook(api.deps.webhooks, organizationId, { uid: 'found' }, WEBHOOK)
      return { uid: 'found' }
    },
    UpsertWebhook: () => ({
      uid: randomUUID(),
      input: { ...WEBHOOK, metadata: { team: 'payments' } },
    }),
    UpdateWebhook: ({ webhookId }) => ({ id: webhookId, input: { enabled: false } }),
    SetFilter: ({ webhookId }) => ({ id: webhookId, filter: FILTER }),
    CreateWebhookWithTemplate: () => ({
      input: { ...WEBHOOK, template: '{ "text": "{{ data.attendee.email }} has joined." }' },
    }),
    TestFilter: () => ({ eventSubscriptions: ['*'], filter: FILTER }),
    WhyNotDelivered: ({ webhookId, eventId }) => ({ webhookId, eventId }),
    FilteredEvents: ({ webhookId }) => ({ id: webhookId, since: hourAgo() }),
    TuneWebhook: ID,
    DeleteWebhook: ID,
    ProbeWebhook: async ({ webhookId }) => {
      await onHold(webhookId)
      await tenant.publish()
      return { id: webhookId }
    },
    ResumeWebhook: async ({ webhookId }) => ({ id: await onHold(webhookId) }),
    RotateSigningSecret: ID,
    RevealHeaders: ID,
    ChangeHeaders: async ({ webhookId }) => {
      const headers = { 'X-Key': 'abc' }
      await updateWebhook(api.deps.webhooks, organizationId, webhookId, { headers })
      return { id: webhookId }
    },
    TestDelivery: ({ webhookId }) => ({ id: webhookId, input: { eventType: JOINED } }),
    PublishEvent: () => ({ input: event }),
    PublishEvents: () => ({ input: { events: [event, { ...event, idempotencyKey: 'again' }] } }),
    FindByKey: async () => ({ equals: await orderWithKey() }),
    DeliveriesPage: () => ({ first: 50 }),
    Delivery: ({ deliveryId }) => ({ id: deliveryId }),
    Redeliver: ({ deliveryId }) => ({ ids: [deliveryId] }),
    FailedAttempts: () => ({ since: hourAgo() }),
    FailedDeliveries: () => ({ filter: { anyAttempt: { causes: ['502'], since: hourAgo() } } }),
    Failures: () => ({ filter: { since: hourAgo() } }),
    WhyWebhookFails: ({ webhookId }) => ({ id: webhookId, since: hourAgo() }),
    CountRedeliveries: () => ({
      filter: { anyAttempt: { statusClasses: FAILED, since: hourAgo() } },
    }),
    RedeliverAllWith502: () => ({ noon: hourAgo() }),
    CancelDeliveries: ({ webhookId }) => ({ input: { filter: { webhookIds: [webhookId] } } }),
    BulkTask: async ({ webhookId }) => ({ id: await recovery(webhookId) }),
    BulkTasks: ({ webhookId }) => ({ filter: { webhookId, action: 'RECOVER' } }),
    CancelBulkTask: async ({ webhookId }) => ({ id: await recovery(webhookId) }),
    Erase: ({ eventId }) => ({ input: { eventIds: [eventId], unsent: 'CANCEL' } }),
    Erasure: async ({ eventId }) => {
      const input = { eventIds: [eventId], unsent: 'CANCEL' }
      return (await tenant.run('erasure', 'Erase', { input })).task
    },
    CountMissed: ({ webhookId }) => ({ webhookId, since: yesterday() }),
    RedeliverInBackground: ({ webhookId }) => ({
      input: { missed: { webhookId, since: yesterday() } },
    }),
    CreateApiKey: () => ({ input: { name: 'Frontend', scopes: ['webhooks:read'] } }),
    UpdateApiKey: async () => ({ id: await spareKey(), input: { requestsPerSecond: 100 } }),
    RevokeApiKey: async () => ({ id: await spareKey() }),
    CreateFrontendSession: ({ webhookId }) => ({
      input: { scopes: ['webhooks:read', 'deliveries:read'], webhookId, name: 'user 4711' },
    }),
    CreatePortalSession: ({ webhookId }) => ({
      input: {
        scopes: ['webhooks:read', 'deliveries:read'],
        webhookId,
        theme: { primaryColor: '#7048e8', colorScheme: 'DARK' },
      },
    }),
    CreateEventType: () => ({
      input: { name: `order.n${randomUUID().replaceAll('-', '')}`, description: 'It was paid.' },
    }),
    EventTypeVersions: TYPE,
    SelectableFields: TYPE,
    UpdateEventType: () => ({
      id: `type_${JOINED}`,
      input: { description: `Somebody joined: ${randomUUID()}.` },
    }),
    ArchiveEventType: () => ({ id: `type_${TICKET}` }),
    UnarchiveEventType: () => ({ id: `type_${TICKET}` }),
    Consumers: async () => {
      await consumer()
      return {}
    },
    DeleteConsumer: async () => ({ id: await consumer() }),
    Incidents: async ({ webhookId }) => ({ filter: { webhookId: await onHold(webhookId) } }),
    AcknowledgeIncident: async ({ webhookId }) => ({
      id: await incidentOf(webhookId),
      acknowledged: true,
    }),
    SetAlertAddress: () => ({
      input: { email: `${randomUUID()}@example.com`, kinds: ['WEBHOOK_ON_HOLD'] },
    }),
    RemoveAlertAddress: async () => ({ id: await alertAddress() }),
    SetOperationalEvents: () => ({ input: { enabled: true } }),
    Organization: () => ({ id: tenant.publicOrganizationId }),
    CreateOrganization: () => ({ input: { name: 'Another' } }),
    OrganizationByUid: async () => {
      await saveOrganization(api.database.prisma, { uid: 'found' }, { name: 'Found' }, SYSTEM)
      return { uid: 'found' }
    },
    UpdateOrganization: () => ({
      id: tenant.publicOrganizationId,
      input: { name: randomUUID(), metadata: { plan: 'pro' } },
    }),
    UpsertOrganization: () => ({ uid: randomUUID(), input: { name: 'Acme' } }),
    DeleteOrganization: async () => ({ id: (await api.tenant()).publicOrganizationId }),
  }

  const hourAgo = () => new Date(Date.now() - 3_600_000)

  /** Publishes an order whose event type has the search key `$.order.id`, and returns its id. */
  async function orderWithKey(): Promise<string> {
    await updateEventType(api.database.prisma, JOINED, { searchKeys: ['$.order.id'] }, SYSTEM)
    const data = { order: { id: 87_012 } }
    await api.deps.publishEvents(organizationId, [{ type: JOINED, data }])
    return '87012'
  }

  async function recovery(webhookId: string): Promise<string> {
    const input = { missed: { webhookId, since: yesterday() } }
    return (await tenant.run('bulk-tasks', 'RedeliverInBackground', { input })).task.id
  }

  async function onHold(webhookId: string): Promise<string> {
    await putOnHold(api.database.pool, parseId('webhook', webhookId) as string)
    return webhookId
  }

  async function spareKey(): Promise<string> {
    const scopes = ['webhooks:read'] as const
    const { key } = await createApiKey(api.database.prisma, { organizationId, scopes })
    return publicId('apiKey', key.id)
  }

  const yesterday = () => new Date(Date.now() - 86_400_000)

  return {
    things,
    /** The variables of an operation, about new objects. Operations without an entry need none. */
    variablesOf: async (operation: string) => (await VARIABLES[operation]?.(await things())) ?? {},
  }
}
