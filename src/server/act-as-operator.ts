import { type Caller, hasScope } from '../access/scope.ts'
import type { Sql } from '../db/client.ts'
import { parseId } from '../db/ids.ts'
import { ORGANIZATION_HEADER } from '../graphql/organization-header.ts'
import { DomainError } from '../lib/errors.ts'
import { organizationExists } from '../organizations/find-organization.ts'

/**
 * The caller, acting for the organization that the header names. Only for operators: the header is rejected from other
 * callers, because ignoring it would answer with data of another organization than requested.
 */
export async function actAsOperator(
  sql: Sql,
  caller: Caller,
  header: string | null,
): Promise<Caller> {
  if (header === null) return caller
  if (!hasScope(caller, 'admin')) {
    throw new DomainError(
      'forbidden',
      `The header ${ORGANIZATION_HEADER} needs an API key with the scope admin. Omit it.`,
    )
  }
  const organizationId = parseId('organization', header)
  if (organizationId && (await organizationExists(sql, organizationId))) {
    return { ...caller, organizationId }
  }
  throw new DomainError(
    'malformed',
    `The header ${ORGANIZATION_HEADER} does not name an organization. Send the id of one: org_….`,
  )
}
