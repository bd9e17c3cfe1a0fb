import type { Db } from '../../db/client.ts'
import type { OrganizationDeletion, Prisma } from '../../db/generated/prisma/client.ts'
import { parseId } from '../../db/ids.ts'

type Fields = Pick<Prisma.OrganizationDeletionFindManyArgs, 'select'>

/** The deletion of the organization with a public id, or `null`. */
export async function findDeletion(
  db: Db,
  id: string,
  fields: Fields,
): Promise<OrganizationDeletion | null> {
  const organizationId = parseId('organization', id)
  if (!organizationId) return null
  return await db.organizationDeletion.findUnique({ ...withKey(fields), where: { organizationId } })
}

/** A page of all deletions, newest first. */
export async function findDeletions(
  db: Db,
  page: Fields & Pick<Prisma.OrganizationDeletionFindManyArgs, 'take' | 'skip' | 'cursor'>,
): Promise<OrganizationDeletion[]> {
  return await db.organizationDeletion.findMany({
    ...page,
    ...withKey(page),
    orderBy: [{ requestedAt: 'desc' }, { organizationId: 'desc' }],
  })
}

/** Prisma rejects a selection of nothing. Without a selection, it reads all columns. */
function withKey({ select }: Fields): Fields {
  return select ? { select: { organizationId: true, ...select } } : {}
}
