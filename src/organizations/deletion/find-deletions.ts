import type { Db } from '../../db/client.ts'
import type { OrganizationDeletion, Prisma } from '../../db/generated/prisma/client.ts'
import { parseId } from '../../db/ids.ts'
import { atLeastKey } from '../../db/selection.ts'

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
    ...atLeastKey(page, 'organizationId'),
    ...(organizationId && { where: { organizationId } }),
    orderBy: [{ requestedAt: 'desc' }, { organizationId: 'desc' }],
  })
}
