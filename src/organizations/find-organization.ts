import type { Db, Sql } from '../db/client.ts'
import type { Organization, Prisma } from '../db/generated/prisma/client.ts'
import { parseId } from '../db/ids.ts'
import { type Page, pageOf } from '../db/page.ts'
import { atLeastKey } from '../db/selection.ts'

type Query = Pick<Prisma.OrganizationFindUniqueArgs, 'select' | 'include'>

/** The organization with a uuid. Throws if there is none. */
export async function findOrganization(db: Db, uuid: string, query: Query): Promise<Organization> {
  return await db.organization.findUniqueOrThrow({ ...query, where: { id: uuid } })
}

/** The organization with a public id, or `null`. */
export async function findOrganizationById(
  db: Db,
  id: string,
  query: Query,
): Promise<Organization | null> {
  const uuid = parseId('organization', id)
  if (!uuid) return null
  return await db.organization.findUnique({ ...atLeastKey(query), where: { id: uuid } })
}

/** A page of all organizations, oldest first. */
export async function findOrganizations(db: Db, query: Query & Page): Promise<Organization[]> {
  return await db.organization.findMany(pageOf(query, 'oldest first'))
}

export async function organizationExists(sql: Sql, uuid: string): Promise<boolean> {
  const { rowCount } = await sql.query({
    name: 'organization_exists',
    text: 'select from posthorn.organizations where id = $1',
    values: [uuid],
  })
  return rowCount === 1
}
