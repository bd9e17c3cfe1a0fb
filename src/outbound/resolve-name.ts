import type { LookupAddress } from 'node:dns'
import { Resolver } from 'node:dns/promises'
import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import type { Lookup } from './guarded-lookup.ts'
import type { AddressGuard } from './public-address.ts'

/** The names in the hosts file and their addresses that the guard permits. */
export type HostsFile = ReadonlyMap<string, readonly LookupAddress[]>

/**
 * Resolves IPv4 and IPv6 addresses by DNS. Not by `dns.lookup`, which blocks one of the process's four threads while a
 * name server is silent.
 */
export function createResolver(hosts: HostsFile, servers: readonly string[] | null): Lookup {
  // At most 3.5 s, which leaves time to connect when the query for one address family gets no answer.
  const resolver = new Resolver({ timeout: 1_500, tries: 2, maxTimeout: 2_000 })
  if (servers !== null) resolver.setServers(servers)
  return async (hostname) => {
    const name = hostname.toLowerCase().replace(/\.$/, '')
    if (LOCALHOST.test(name)) return [...(hosts.get('localhost') ?? [])]
    return [...(hosts.get(name) ?? (await queryDns(resolver, name)))]
  }
}

/** RFC 6761: such names always mean this machine and are not looked up in DNS. */
const LOCALHOST = /(^|\.)localhost$/

async function queryDns(resolver: Resolver, name: string): Promise<LookupAddress[]> {
  // IPv4 first: more receivers answer there, and a machine without IPv6 does not lose time trying it.
  const results = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
  const found = results.flatMap((result) => (result.status === 'fulfilled' ? result.value : []))
  if (found.length > 0) return found.map(toLookupAddress)
  const codes = results.map((result) => (result.status === 'rejected' ? result.reason.code : ''))
  const isMissing = codes.every((code) => code === 'ENOTFOUND' || code === 'ENODATA')
  const code = isMissing ? 'ENOTFOUND' : 'EAI_AGAIN'
  throw Object.assign(new Error(`${name} could not be resolved (${codes.join(', ')}).`), { code })
}

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
