import type { LookupAddress } from 'node:dns'
import { isIP } from 'node:net'
import type { AddressGuard } from './public-address.ts'

/** Resolves a host name to all its addresses. Rejects or returns an empty list when it has none. */
export type Lookup = (hostname: string) => Promise<LookupAddress[]>

/** The guard does not permit an address. The message names neither the address nor the rule: partners may read it. */
export class AddressRefused extends Error {
  override readonly name = 'AddressRefused'

  constructor() {
    super('The address is not public.')
  }
}

/**
 * A lookup that returns only permitted addresses. One address that is not permitted rejects all: a name with both
 * public and private addresses is likely an attack that counts on a second connection attempt.
 */
export function createGuardedLookup(guard: AddressGuard, lookup: Lookup): Lookup {
  return async (hostname) => {
    const family = isIP(hostname)
    const addresses = family === 0 ? await lookup(hostname) : [{ address: hostname, family }]
    if (!addresses.every(({ address }) => guard.permits(address))) throw new AddressRefused()
    if (addresses.length === 0) throw notFound(hostname)
    return addresses
  }
}

function notFound(hostname: string): Error {
  return Object.assign(new Error(`${hostname} has no address.`), { code: 'ENOTFOUND' })
}
