import type { Caller } from './scope.ts'

/**
 * Who a request counts for when requests share memory, time and connections: its organization. A portal or frontend
 * session counts for itself, because its user is a customer of the organization.
 */
export function ownerOf(caller: Caller): string {
  return caller.session ? caller.keyId : caller.organizationId
}
