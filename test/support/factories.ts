import { randomBytes } from 'node:crypto'
import { SYSTEM } from '../../src/auth/access/actor.ts'
import { SCOPES, type Scope } from '../../src/auth/access/scope.ts'
import { createKeyring } from '../../src/auth/encryption/keyring.ts'
import type { Database, Db } from '../../src/db/client.ts'
import { publicId } from '../../src/db/ids.ts'
import { createOrganization } from '../../src/organizations/organization.ts'
import { createAddressGuard } from '../../src/outbound/public-address.ts'
import { createWebhook } from '../../src/webhooks/save-webhook.ts'
import { createApiKey } from './api-keys.ts'

export const JOINED = 'event_attendee.joined_event'
export const TICKET = 'event_attendee.ticket_success'

/** Of all secrets on the databases that files share: Posthorn refuses to start where it cannot read a secret. */
export const ENCRYPTION_KEY = randomBytes(32)

/** Every scope except `admin`. */
export const ALL_SCOPES = SCOPES.filter((scope) => scope !== 'admin')

/** Creates an organization with an API key. */
export async function createTenant(db: Db, scopes: readonly Scope[] = ALL_SCOPES) {
  const organization = await createOrganization(db, { name: 'Harvest Fair' }, SYSTEM)
  const { key, token } = await createApiKey(db, { organizationId: organization.id, scopes })
  return {
    organizationId: organization.id,
    publicOrganizationId: publicId('organization', organization.id),
    keyId: key.id,
    token,
  }
}

/** Creates a webhook for tests that send no deliveries. */
export async function subscribe(
  { prisma }: Database,
  organizationId: string,
  eventSubscriptions: string[],
  { enabled = true, filter = null as string | null } = {},
): Promise<void> {
  const keyring = createKeyring([ENCRYPTION_KEY])
  const fields = { url: 'https://example.com/hooks', eventSubscriptions, enabled, filter }
  const deps = { prisma, keyring, guard: createAddressGuard([]), actor: SYSTEM }
  await createWebhook(deps, organizationId, fields)
}
