import type { Db } from '../db/client.ts'
import type { Organization, Prisma } from '../db/generated/prisma/client.ts'

type Query = Pick<Prisma.OrganizationFindUniqueArgs, 'select' | 'include'>

/** The organization of a caller. */
export async function findOrganization(db: Db, uuid: string, query: Query): Promise<Organization> {
  return await db.organization.findUniqueOrThrow({ ...query, where: { id: uuid } })
}
