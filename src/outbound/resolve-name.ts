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
  // One for each family: c-ares fails all questions of a socket that receives a malformed answer.
  const [ipv4, ipv6] = [openResolver(servers), openResolver(servers)]
  return async (hostname) => {
    const name = hostname.toLowerCase().replace(/\.$/, '')
    if (LOCALHOST.test(name)) return [...(hosts.get('localhost') ?? [])]
    return [
      ...(hosts.get(name) ?? (await queryDns([ipv4.resolve4(name), ipv6.resolve6(name)], name))),
    ]
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
function queryDns(queries: Promise<string[]>[], name: string): Promise<LookupAddress[]> {
  const { promise, resolve, reject } = Promise.withResolvers<LookupAddress[]>()
  const found: string[] = []
  const codes: string[] = []
  let timer = setTimeout(end, TIMEOUT_MS)

  function end(): void {
    clearTimeout(timer)
    if (found.length > 0) {
      resolve(found.map(toLookupAddress))
      return
    }
    const isMissing =
      codes.length === 2 && codes.every((code) => code === 'ENOTFOUND' || code === 'ENODATA')
    const code = isMissing ? 'ENOTFOUND' : 'EAI_AGAIN'
    reject(
      Object.assign(new Error(`${name} could not be resolved (${codes.join(', ')}).`), { code }),
    )
  }

  function onEnded(addresses: string[], code: string): void {
    found.push(...addresses)
    codes.push(code)
    if (codes.length === 2) end()
    else if (found.length > 0) {
      clearTimeout(timer)
      timer = setTimeout(end, RESOLUTION_DELAY_MS)
    }
  }

  for (const query of queries) {
    query.then(
      (addresses) => onEnded(addresses, ''),
      (error) => onEnded([], error.code),
    )
  }
  return promise
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
