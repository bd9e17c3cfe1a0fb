import type { LookupAddress } from 'node:dns'
import { Resolver } from 'node:dns/promises'
import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { ConnectionFailure } from './failure.ts'
import type { AddressGuard } from './public-address.ts'

/** Resolves a host name to all its addresses. Rejects or returns an empty list when it has none. */
export type Lookup = (hostname: string) => Promise<LookupAddress[]>

/**
 * A lookup that returns only permitted addresses, IPv4 first: more receivers answer there, and many machines have an IPv6
 * that leads nowhere. One address that is not permitted rejects all: a name with both public and private addresses is likely
 * an attack that counts on a second connection attempt. The failure does not say which address it is: partners may read it.
 */
export function createGuardedLookup(guard: AddressGuard, lookup: Lookup): Lookup {
  return async (hostname) => {
    const family = isIP(hostname)
    const addresses = family === 0 ? await lookup(hostname) : [{ address: hostname, family }]
    if (!addresses.every(({ address }) => guard.permits(address))) {
      throw new ConnectionFailure('address_not_public')
    }
    if (addresses.length === 0) throw new ConnectionFailure('name_not_found')
    return addresses.toSorted((a, b) => a.family - b.family)
  }
}

/** The names in the hosts file and their addresses that the guard permits. */
export type HostsFile = ReadonlyMap<string, readonly LookupAddress[]>

/**
 * Resolves IPv4 and IPv6 addresses by DNS. Not by `dns.lookup`, which blocks one of the process's four threads while a
 * name server is silent.
 */
export function createResolver(hosts: HostsFile, servers: readonly string[] | null): Lookup {
  // One for each family: c-ares fails all questions of a socket that receives a malformed answer.
  const [ipv4, ipv6] = [openResolver(servers), openResolver(servers)]
  return async (hostname) => {
    const name = hostname.toLowerCase().replace(/\.$/, '')
    if (LOCALHOST.test(name)) return [...(hosts.get('localhost') ?? [])]
    return [...(hosts.get(name) ?? (await queryDns([ipv4.resolve4(name), ipv6.resolve6(name)])))]
  }
}

/** The second of several name servers is asked after half a second. */
function openResolver(servers: readonly string[] | null): Resolver {
  const resolver = new Resolver({ timeout: 500, tries: 3, maxTimeout: 2_000 })
  if (servers !== null) resolver.setServers(servers)
  return resolver
}

/** RFC 6761: such names always mean this machine and are not looked up in DNS. */
const LOCALHOST = /(^|\.)localhost$/

/** Both families at once. When one has answered with addresses, the other one has `RESOLUTION_DELAY_MS` left. */
async function queryDns(queries: Promise<string[]>[]): Promise<LookupAddress[]> {
  const found: string[] = []
  const codes: string[] = []
  const ended = queries.map((query) =>
    query.then(
      (addresses) => void found.push(...addresses),
      ({ code }) => void codes.push(code),
    ),
  )
  const late = sleep(TIMEOUT_MS, undefined, { ref: false })
  await Promise.race([...ended, late])
  const last = found.length > 0 ? sleep(RESOLUTION_DELAY_MS) : late
  await Promise.race([Promise.all(ended), last])
  if (found.length > 0) return found.map(toLookupAddress)
  const isMissing =
    codes.length === 2 && codes.every((code) => code === 'ENOTFOUND' || code === 'ENODATA')
  throw new ConnectionFailure(isMissing ? 'name_not_found' : 'name_lookup_failed')
}

/** RFC 8305, section 3. Addresses that come later are not used. */
const RESOLUTION_DELAY_MS = 50

/** Leaves time to connect. */
const TIMEOUT_MS = 3_500

/** A name with no address that the guard permits is left out, so that DNS resolves it. */
export function readHostsFile(guard: AddressGuard, file = '/etc/hosts'): HostsFile {
  const hosts = new Map<string, LookupAddress[]>()
  const add = (line: string) => {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().toLowerCase().split(/\s+/)
    if (!guard.permits(address)) return
    for (const name of names)
      hosts.set(name, [...(hosts.get(name) ?? []), toLookupAddress(address)])
  }
  linesOf(file).forEach(add)
  if (!hosts.has('localhost')) ['127.0.0.1 localhost', '::1 localhost'].forEach(add)
  return hosts
}

function linesOf(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').split('\n')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

function toLookupAddress(address: string): LookupAddress {
  return { address, family: isIP(address) }
}
