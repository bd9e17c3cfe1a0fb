import { type Caller, hasScope } from '../access/scope.ts'
import type { Db } from '../db/client.ts'
import type { ApiKey, Prisma } from '../db/generated/prisma/client.ts'
import { parseId } from '../db/ids.ts'
import { type Page, pageOf } from '../db/page.ts'
import { atLeastKey } from '../db/selection.ts'
import { notFound } from '../lib/errors.ts'

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

/** A page of the keys of an organization, oldest first; expired and revoked ones too, sessions of the portal not. */
export async function findApiKeys(
  db: Db,
  organizationId: string,
  query: Query & Page,
): Promise<ApiKey[]> {
  const { where, ...page } = pageOf(query, 'oldest first')
  return await db.apiKey.findMany({ ...page, where: { ...where, organizationId, isPortal: false } })
}

/** A key that was there a moment ago. Throws `not_found` when it is no more. */
export async function rereadApiKey(
  db: Db,
  organizationId: string,
  id: string,
  query: Query,
): Promise<ApiKey> {
  const uuid = parseId('apiKey', id)
  const key =
    uuid &&
    (await db.apiKey.findUnique({ ...atLeastKey(query), where: { id: uuid, organizationId } }))
  if (!key) throw notFound('API key', id)
  return key
}
