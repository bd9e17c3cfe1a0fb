import type { Db } from '../db/client.ts'
import type { ApiKey, Prisma } from '../db/generated/prisma/client.ts'
import { type Caller, hasScope } from './scope.ts'

type Query = Pick<Prisma.ApiKeyFindUniqueArgs, 'select' | 'include'>

/** The key a caller used. */
export async function findOwnApiKey(db: Db, caller: Caller, query: Query): Promise<ApiKey> {
  return await db.apiKey.findUniqueOrThrow({ ...query, where: { id: caller.keyId } })
}

/** Which row a caller may see by an id: their own key, and with `keys:manage` every one of their organization. */
export function visibleApiKey(caller: Caller, uuid: string): Prisma.ApiKeyWhereUniqueInput {
  const own = hasScope(caller, 'keys:manage') ? {} : { AND: [{ id: caller.keyId }] }
  return { id: uuid, organizationId: caller.organizationId, ...own }
}
