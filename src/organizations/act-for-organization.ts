import { type Caller, hasScope, ownerOf } from '../auth/access/scope.ts'
import type { Sql } from '../db/client.ts'
import { ORGANIZATION_HEADER } from '../graphql/context.ts'
import { DomainError } from '../lib/errors.ts'
import { findOrganizationUuid } from '../organizations/find-organization.ts'
import { describeRequest } from '../telemetry/request-log.ts'

/**
 * The caller, acting for the organization that the header names. Only for operators: the header is rejected from other
 * callers, because ignoring it would answer with data of another organization than requested.
 */
export async function actFor(sql: Sql, caller: Caller, header: string): Promise<Caller> {
  if (!hasScope(caller, 'admin')) {
    throw new DomainError(
      'forbidden',
      `The header ${ORGANIZATION_HEADER} needs an API key with the scope admin. Omit it.`,
    )
  }
  // The bytes of a header arrive as characters of Latin-1.
  const idOrUid = Buffer.from(header, 'latin1').toString('utf8')
  const organizationId = await findOrganizationUuid(sql, idOrUid)
  if (organizationId !== null) {
    const acting = { ...caller, organizationId }
    describeRequest({ caller: acting, owner: ownerOf(acting) })
    return acting
  }
  throw new DomainError(
    'malformed',
    `The header ${ORGANIZATION_HEADER} does not name an organization. Send the id of one, org_…, or its uid.`,
  )
}
