import type { Db } from '../db/client.ts'
import type { Organization } from '../db/generated/prisma/client.ts'
import { publicId } from '../db/ids.ts'
import { getOrganization, listOrganizations } from '../organizations/organization.ts'
import { onlyOrganization } from './installation/only-organization.ts'

/** The organization with a public id. Without one, the only organization of the database. */
export async function organizationIn(db: Db, id: string | undefined): Promise<Organization> {
  if (id !== undefined) return await getOrganization(db, id)
  const rows = await listOrganizations(db)
  const named = rows.map((row) => ({
    ...{ id: publicId('organization', row.id), name: row.name },
    row,
  }))
  return onlyOrganization(named).row
}
