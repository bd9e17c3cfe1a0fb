import path from 'node:path'
import { SCOPES } from '../access/scope.ts'
import { createApiKey } from '../api-keys/api-key.ts'
import type { Authenticate } from '../api-keys/authenticate.ts'
import { type Database, type Db, inTransaction } from '../db/client.ts'
import { DomainError } from '../lib/errors.ts'
import { readGeneratedSecret, replaceGeneratedSecret } from '../lib/generated-secret.ts'
import { createOrganization } from '../organizations/organization.ts'
import { createSignInLink } from '../sessions/sign-in-link.ts'

/** Where the embedded mode keeps the token of the key it made. */
export function embeddedApiKeyFile(dataDir: string): string {
  return path.join(dataDir, 'api-key')
}

/**
 * On the first start of the embedded mode, an organization and a key that may do everything. Answers the token only
 * then; later starts answer `null`. Both are made and the token is kept, or neither: a start that was cut off is made up
 * for by the next one.
 */
export async function provisionEmbedded(db: Db, dataDir: string): Promise<string | null> {
  if ((await db.organization.count()) > 0) return null
  return await inTransaction(db, async (tx) => {
    // Of two processes that start together, the second finds what the first has made.
    await tx.$executeRaw`select pg_advisory_xact_lock(hashtextextended('posthorn.provision', 0))`
    if ((await tx.organization.count()) > 0) return null
    const organization = await createOrganization(tx, { name: 'My organization' })
    const { token } = await createApiKey(tx, {
      organizationId: organization.id,
      name: 'Created on the first start',
      scopes: SCOPES,
    })
    await replaceGeneratedSecret(embeddedApiKeyFile(dataDir), token)
    return token
  })
}

/** What signs in to the console once with that key. Null when it is no longer valid, or its file is gone. */
export async function embeddedSignInLink(
  { authenticate, database }: { readonly authenticate: Authenticate; readonly database: Database },
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
