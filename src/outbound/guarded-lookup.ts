import type { LookupAddress } from 'node:dns'
import { isIP } from 'node:net'
import type { AddressGuard } from './public-address.ts'

/** Resolves a name to all its addresses. Rejects, or answers with none, when there are none. */
export type Lookup = (hostname: string) => Promise<LookupAddress[]>

/** The guard's no. It names neither the address nor the rule, since a partner may read what becomes of it. */
export class AddressRefused extends Error {
  override readonly name = 'AddressRefused'

  constructor() {
    super('The address is not public.')
  }
}

/**
 * A lookup that gives only permitted addresses. One that is not permitted spoils the rest: a name that leads both
 * outside and inside is an attempt to be let in by the second try.
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
