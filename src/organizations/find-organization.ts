import type { Db, Sql } from '../db/client.ts'
import { containing } from '../db/containing.ts'
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

/** Conditions on organizations. A missing or null field matches every organization. */
export interface OrganizationFilter {
  /** A part of the name. */
  readonly search?: string | null | undefined
}

/** A page of all organizations that match the filter, newest first. */
export async function findOrganizations(
  db: Db,
  { search }: OrganizationFilter,
  query: Query & Page,
): Promise<Organization[]> {
  const { where, ...page } = pageOf(query, 'newest first')
  const name = typeof search === 'string' ? { name: containing(search) } : {}
  return await db.organization.findMany({ ...page, where: { ...where, ...name } })
}

export async function organizationExists(sql: Sql, uuid: string): Promise<boolean> {
  const { rowCount } = await sql.query({
    name: 'organization_exists',
    text: 'select from posthorn.organizations where id = $1',
    values: [uuid],
  })
  return rowCount === 1
}
