import { type Caller, hasScope } from '../access/scope.ts'
import type { Sql } from '../db/client.ts'
import { parseId } from '../db/ids.ts'
import { ORGANIZATION_HEADER } from '../graphql/organization-header.ts'
import { DomainError } from '../lib/errors.ts'
import { organizationExists } from '../organizations/find-organization.ts'

/**
 * The caller, as a member of the organization that the header names. For operators alone: from any other key the header
 * is refused rather than ignored, so that nobody takes the answer for another organization's.
 */
export async function actFor(sql: Sql, caller: Caller, header: string | null): Promise<Caller> {
  if (header === null) return caller
  if (!hasScope(caller, 'admin')) {
    throw new DomainError(
      'forbidden',
      `The header ${ORGANIZATION_HEADER} is for API keys with the scope admin. Leave it out.`,
    )
  }
  const organizationId = parseId('organization', header)
  if (organizationId && (await organizationExists(sql, organizationId))) {
    return { ...caller, organizationId }
  }
  throw new DomainError(
    'malformed',
    `The header ${ORGANIZATION_HEADER} names no organization. Give the id of one: org_….`,
  )
}
