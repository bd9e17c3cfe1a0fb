import type { LookupAddress } from 'node:dns'
import { Resolver } from 'node:dns/promises'
import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import type { Lookup } from './guarded-lookup.ts'
import type { AddressGuard } from './public-address.ts'

/** The names of the hosts file, without the addresses that the guard does not permit. */
export type HostsFile = ReadonlyMap<string, readonly LookupAddress[]>

/**
 * Asks DNS for IPv4 and IPv6 addresses. `dns.lookup` would take one of the four threads of the whole process for as long
 * as a name server is silent; a resolver takes none, and each organization has its own.
 */
export function createResolver(hosts: HostsFile, servers: readonly string[] | null): Lookup {
  // 3.5 s at most, which leaves time to connect when one family of addresses gets no answer.
  const resolver = new Resolver({ timeout: 1_500, tries: 2, maxTimeout: 2_000 })
  if (servers !== null) resolver.setServers(servers)
  return async (hostname) => {
    const name = hostname.toLowerCase().replace(/\.$/, '')
    if (LOCALHOST.test(name)) return [...(hosts.get('localhost') ?? [])]
    return [...(hosts.get(name) ?? (await ask(resolver, name)))]
  }
}

/** RFC 6761: such names never leave the machine. */
const LOCALHOST = /(^|\.)localhost$/

async function ask(resolver: Resolver, name: string): Promise<LookupAddress[]> {
  // IPv4 first: it is where more receivers answer, and a machine without IPv6 need not find that out.
  const asked = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
  const found = asked.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
  if (found.length > 0) return found.map(toLookupAddress)
  const codes = asked.map((answer) => (answer.status === 'rejected' ? answer.reason.code : ''))
  const isMissing = codes.every((code) => code === 'ENOTFOUND' || code === 'ENODATA')
  const code = isMissing ? 'ENOTFOUND' : 'EAI_AGAIN'
  throw Object.assign(new Error(`${name} could not be resolved (${codes.join(', ')}).`), { code })
}

/** Read once. A name whose addresses are all refused by the guard is left to DNS, as a stranger's would be. */
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
