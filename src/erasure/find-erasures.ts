import type { Db } from '../db/client.ts'
import type { Erasure, Prisma } from '../db/generated/prisma/client.ts'
import { parseId } from '../db/ids.ts'
import { type Page, pageOf } from '../db/page.ts'
import { atLeastKey } from '../db/selection.ts'

type Fields = Pick<Prisma.ErasureFindManyArgs, 'select' | 'include'>

/** The organization's erasure with a public id, or `null`. */
export async function findErasure(
  db: Db,
  organizationId: string,
  id: string,
  fields: Fields,
): Promise<Erasure | null> {
  const uuid = parseId('erasure', id)
  if (!uuid) return null
  return await db.erasure.findUnique({ ...atLeastKey(fields), where: { id: uuid, organizationId } })
}

/** A page of an organization's erasures, newest first. */
export async function findErasures(
  db: Db,
  organizationId: string,
  query: Fields & Page,
): Promise<Erasure[]> {
  const { where, ...page } = pageOf(query, 'newest first')
  return await db.erasure.findMany({ ...page, where: { ...where, organizationId } })
}
