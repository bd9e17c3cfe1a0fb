import type { Db } from '../../db/client.ts'
import type { ApiKey, Prisma } from '../../db/generated/prisma/client.ts'
import { type Page, pageOf } from '../../db/page.ts'
import { type Caller, hasScope } from '../access/scope.ts'

type Query = Pick<Prisma.ApiKeyFindUniqueArgs, 'select' | 'include'>

/** The condition on API keys that a caller can see: its own, with `keys:manage` all of its organization, or with `admin` all. */
export function visibleApiKey(caller: Caller, uuid: string): Prisma.ApiKeyWhereUniqueInput {
  if (hasScope(caller, 'admin')) return { id: uuid }
  const own = hasScope(caller, 'keys:manage') ? {} : { AND: [{ id: caller.keyId }] }
  return { id: uuid, organizationId: caller.organizationId, ...own }
}

/** A page of an organization's API keys, newest first, including expired and revoked keys, without sessions. */
export async function findApiKeys(
  db: Db,
  organizationId: string,
  query: Query & Page,
): Promise<ApiKey[]> {
  const { where, ...page } = pageOf(query, 'newest first')
  return await db.apiKey.findMany({
    ...page,
    where: { ...where, organizationId, sessionKind: null },
  })
}
