import type { Organization } from './installation.ts'

/** The help of the option `--organization` of commands that need an organization. */
export const ORGANIZATION_OPTION =
  'org_… or a uid; only required if there are several organizations'

const MAX_LISTED = 10

/** The only one of the organizations. Throws if there are none or several, with the options to choose from. */
export function onlyOrganization<T extends Pick<Organization, 'id' | 'name'>>(
  organizations: readonly T[],
): T {
  const [only] = organizations
  if (!only) {
    throw new Error('There is no organization. Create one: posthorn organization create <name>')
  }
  if (organizations.length === 1) return only
  const listed = organizations
    .slice(0, MAX_LISTED)
    .map(({ id, name }) => `  --organization ${id}  ${name}`)
  if (organizations.length > MAX_LISTED) {
    listed.push('  …  (posthorn organization list shows all)')
  }
  throw new Error(
    `There are ${organizations.length} organizations. Choose one:\n${listed.join('\n')}`,
  )
}
