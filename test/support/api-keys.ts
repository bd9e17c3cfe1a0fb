import { SYSTEM } from '../../src/auth/access/actor.ts'
import * as apiKey from '../../src/auth/api-keys/api-key.ts'
import type { Db } from '../../src/db/client.ts'
import { parseId } from '../../src/db/ids.ts'

/** Creates an API key with any scopes and limits. */
export function createApiKey(db: Db, input: Omit<apiKey.NewApiKey, 'grantedBy'>) {
  return apiKey.createApiKey(db, { ...input, grantedBy: null }, SYSTEM)
}

/** Revokes an API key of any organization, or only of `owner`. */
export async function revokeApiKey(db: Db, id: string, owner?: string) {
  const where = { id: parseId('apiKey', id) ?? '' }
  const { organizationId } = await db.apiKey.findUniqueOrThrow({ where })
  return await apiKey.revokeApiKey(db, id, owner ?? organizationId, SYSTEM)
}
