import { SYSTEM } from '../../src/access/actor.ts'
import { ALL_ORGANIZATIONS } from '../../src/access/all-organizations.ts'
import * as apiKey from '../../src/api-keys/api-key.ts'
import type { Db } from '../../src/db/client.ts'

/** Creates an API key with any scopes and limits. */
export function createApiKey(db: Db, input: Omit<apiKey.NewApiKey, 'grantedBy'>) {
  return apiKey.createApiKey(db, { ...input, grantedBy: null }, SYSTEM)
}

type Owner = Parameters<typeof apiKey.revokeApiKey>[2]

/** Revokes an API key of any organization, or only of `owner`. */
export function revokeApiKey(db: Db, id: string, owner: Owner = ALL_ORGANIZATIONS) {
  return apiKey.revokeApiKey(db, id, owner, SYSTEM)
}
