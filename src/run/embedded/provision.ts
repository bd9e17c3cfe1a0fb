import path from 'node:path'
import { SYSTEM } from '../../auth/access/actor.ts'
import { SCOPES } from '../../auth/access/scope.ts'
import { createApiKey } from '../../auth/api-keys/api-key.ts'
import type { Authenticate } from '../../auth/api-keys/authenticate.ts'
import { createSignInLink } from '../../auth/sessions/session.ts'
import type { Database, Db } from '../../db/client.ts'
import { joinTransaction } from '../../db/transaction.ts'
import { DomainError } from '../../lib/errors.ts'
import { readGeneratedSecret, replaceGeneratedSecret } from '../../lib/generated-secret.ts'
import { createOrganization } from '../../organizations/organization.ts'

export interface Provisioned {
  /** The token of the new API key. Null: a former start created the key. */
  readonly token: string | null
  /** The file with the token. */
  readonly keyFile: string
  /** The token of a link that signs in to the console. Null: the key of the first start is gone. */
  readonly signInLink: string | null
}

interface Services {
  readonly authenticate: Authenticate
  readonly database: Database
}

/** Creates the organization and the API key of embedded mode on the first start. */
export async function provision(services: Services, dataDir: string): Promise<Provisioned> {
  return {
    token: await provisionEmbedded(services.database.prisma, dataDir),
    keyFile: embeddedApiKeyFile(dataDir),
    signInLink: await embeddedSignInLink(services, dataDir),
  }
}

/** The file with the token of the API key that embedded mode created. */
export function embeddedApiKeyFile(dataDir: string): string {
  return path.join(dataDir, 'api-key')
}

/**
 * On the first start in embedded mode, creates an organization and an API key with all scopes, and returns its token.
 * Later starts return `null`. One transaction creates both and writes the token to its file, so that the next start
 * can repeat an interrupted first one.
 */
export async function provisionEmbedded(db: Db, dataDir: string): Promise<string | null> {
  if ((await db.organization.count()) > 0) return null
  return await joinTransaction(db, async (tx) => {
    // If two processes start together, the second waits here and then finds the organization of the first.
    await tx.$executeRaw`select pg_advisory_xact_lock(hashtextextended('posthorn.provision', 0))`
    if ((await tx.organization.count()) > 0) return null
    const organization = await createOrganization(tx, { name: 'My organization' }, SYSTEM)
    const key = { name: 'Initial key', scopes: SCOPES, grantedBy: null }
    const { token } = await createApiKey(tx, { ...key, organizationId: organization.id }, SYSTEM)
    await replaceGeneratedSecret(embeddedApiKeyFile(dataDir), token)
    return token
  })
}

/** The token of a link that signs in to the console once with that key. `null` if the key is invalid or its file missing. */
async function embeddedSignInLink(
  { authenticate, database }: Services,
  dataDir: string,
): Promise<string | null> {
  const token = await readGeneratedSecret(embeddedApiKeyFile(dataDir))
  if (token === null) return null
  try {
    const { keyId } = await authenticate(`Bearer ${token}`)
    return await createSignInLink(database.pool, keyId)
  } catch (error) {
    if (error instanceof DomainError && error.code === 'unauthenticated') return null
    throw error
  }
}
