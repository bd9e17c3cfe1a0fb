import type { Db } from '../db/client.ts'
import type { Organization } from '../db/generated/prisma/client.ts'
import { publicId } from '../db/ids.ts'
import { getOrganization, listOrganizations } from '../organizations/organization.ts'

/** The help of the option `--organization` of commands that need an organization. */
export const ORGANIZATION_OPTION = 'org_…; only required if there are several organizations'

const MAX_LISTED = 10

/** The organization with the given id or, without an id, the only one in the database. */
export async function selectOrganization(db: Db, id: string | undefined): Promise<Organization> {
  if (id !== undefined) return await getOrganization(db, id)
  const organizations = await listOrganizations(db)
  const [only] = organizations
  if (!only) {
    throw new Error('There is no organization. Create one: posthorn organization create <name>')
  }
  if (organizations.length === 1) return only
  const listed = organizations
    .slice(0, MAX_LISTED)
    .map(({ id, name }) => `  --organization ${publicId('organization', id)}  ${name}`)
  if (organizations.length > MAX_LISTED) {
    listed.push('  …  (posthorn organization list shows all)')
  }
  throw new Error(
    `There are ${organizations.length} organizations. Choose one:\n${listed.join('\n')}`,
  )
}
