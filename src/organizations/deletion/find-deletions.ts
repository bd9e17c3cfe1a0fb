import type { Db } from '../../db/client.ts'
import type { OrganizationDeletion, Prisma } from '../../db/generated/prisma/client.ts'
import { parseId } from '../../db/ids.ts'

type Fields = Pick<Prisma.OrganizationDeletionFindManyArgs, 'select'>

/** A page of the deletions of all organizations, or of that with a public id, newest first. */
export async function findDeletions(
  db: Db,
  id: string | null | undefined,
  page: Fields & Pick<Prisma.OrganizationDeletionFindManyArgs, 'take' | 'skip' | 'cursor'> = {},
): Promise<OrganizationDeletion[]> {
  const organizationId = id == null ? undefined : parseId('organization', id)
  if (organizationId === null) return []
  return await db.organizationDeletion.findMany({
    ...page,
    ...withKey(page),
    ...(organizationId && { where: { organizationId } }),
    orderBy: [{ requestedAt: 'desc' }, { organizationId: 'desc' }],
  })
}

/** Prisma rejects a selection of nothing. Without a selection, it reads all columns. */
function withKey({ select }: Fields): Fields {
  return select ? { select: { organizationId: true, ...select } } : {}
}
