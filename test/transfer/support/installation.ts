import { randomBytes } from 'node:crypto'
import { SYSTEM } from '../../../src/access/actor.ts'
import { SCOPES } from '../../../src/access/scope.ts'
import { hashToken, mintToken, tokenHint } from '../../../src/api-keys/token.ts'
import type { Database } from '../../../src/db/client.ts'
import { publicId } from '../../../src/db/ids.ts'
import { createKeyring, type Keyring } from '../../../src/encryption/keyring.ts'
import { createEventType, setEventTypeArchived } from '../../../src/event-types/edit-event-type.ts'
import { createOrganization } from '../../../src/organizations/organization.ts'
import { createAddressGuard } from '../../../src/outbound/public-address.ts'
import type { Contents } from '../../../src/transfer/contents.ts'
import { exportContents } from '../../../src/transfer/export-contents.ts'
import { readContents } from '../../../src/transfer/read-contents.ts'
import { rotateSigningSecret } from '../../../src/webhooks/signing-secret.ts'
import {
  type ActingWebhookDeps,
  createWebhook,
  deleteWebhook,
} from '../../../src/webhooks/webhook.ts'
import { createApiKey, revokeApiKey } from '../../support/api-keys.ts'
import { createTestDatabase } from '../../support/database.ts'
import { JOINED, TICKET } from '../../support/factories.ts'

/** A database with its own encryption key. */
export interface Installation extends AsyncDisposable {
  readonly database: Database
  readonly keyring: Keyring
  readonly deps: ActingWebhookDeps
  /** What an export has, without its audit entries. */
  contents(): Promise<Contents>
}

export async function createInstallation(keys = [randomBytes(32)]): Promise<Installation> {
  const database = await createTestDatabase()
  const keyring = createKeyring(keys)
  return {
    database,
    keyring,
    deps: { prisma: database.prisma, keyring, guard: createAddressGuard([]), actor: SYSTEM },
    contents: () => readContents(database.pool, keyring),
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  }
}

/** Creates configuration of every kind, and what an export leaves out. */
export async function configure({ database: { prisma, pool }, deps }: Installation) {
  const fair = await createOrganization(
    prisma,
    { name: 'Harvest Fair', uid: 'fair', metadata: { plan: 'pro', a: '1' } },
    SYSTEM,
  )
  const empty = await createOrganization(prisma, { name: 'Ütopia 🌻' }, SYSTEM)
  const paid = {
    name: 'order.paid',
    description: 'An order is paid.',
    schema: { type: 'object', properties: { id: { type: 'integer' } } },
    example: { share: 0.1, note: 'a\\b "c" 🌻', id: 9001 },
    searchKeys: ['$.id'],
  }
  await createEventType(prisma, paid, SYSTEM)
  const lost = { name: 'order.lost', description: 'No longer published.' }
  await createEventType(prisma, lost, SYSTEM)
  await setEventTypeArchived(prisma, 'order.lost', true, SYSTEM)
  const full = await createWebhook(deps, fair.id, {
    url: 'https://example.com/hooks?token=abc',
    description: 'Orders\nof the "fair"',
    enabled: true,
    eventSubscriptions: ['order.paid', JOINED],
    headers: { 'X-Key': 'the value of a header', authorization: 'Bearer xyz' },
    rateLimitPerSecond: 7,
    maxInFlight: 3,
    retryScheduleSeconds: [],
    timeoutSeconds: 9,
    ordered: true,
    uid: 'orders',
    metadata: { team: 'payments', a: '1' },
    selection: '{ id ... on OrderPaid { data } }',
  })
  await rotateSigningSecret(deps, fair.id, full.id)
  const plain = await createWebhook(deps, fair.id, {
    url: 'https://example.com/plain',
    eventSubscriptions: [TICKET],
    retryScheduleSeconds: [1, 86_400],
    template: '{"text": "{{ event.type }}"}',
  })
  const deleted = await createWebhook(deps, fair.id, {
    url: 'https://example.com/deleted',
    eventSubscriptions: [TICKET],
  })
  await deleteWebhook(deps, fair.id, deleted.id)
  const limited = await createApiKey(prisma, {
    organizationId: fair.id,
    name: 'Partner',
    scopes: ['webhooks:read', 'deliveries:read'],
    requestsPerSecond: 5,
    eventsPerSecond: 6,
    deliveriesPerSecond: 7,
    expiresAt: new Date(Date.now() + 86_400_000),
  })
  const operator = await createApiKey(prisma, { organizationId: fair.id, scopes: SCOPES })
  const revoked = await createApiKey(prisma, { organizationId: empty.id, scopes: ['admin'] })
  await revokeApiKey(prisma, publicId('apiKey', revoked.key.id), empty.id)
  const sessionToken = mintToken('session')
  await prisma.apiKey.create({
    data: {
      organizationId: fair.id,
      scopes: ['webhooks:read'],
      tokenHash: hashToken(sessionToken),
      tokenHint: tokenHint(sessionToken),
      sessionKind: 'portal',
      expiresAt: new Date(Date.now() + 3_600_000),
      grantedBy: operator.key.id,
    },
  })
  await pool.query('select posthorn.publish_event($1, $2, $3)', [
    publicId('organization', fair.id),
    JOINED,
    '{}',
  ])
  return { fair, empty, full, plain, deleted, limited, operator, revoked, sessionToken }
}

export async function exported({ database, keyring }: Installation): Promise<Contents> {
  return await exportContents(database.pool, keyring)
}
