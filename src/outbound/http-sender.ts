import * as tls from 'node:tls'
import { parseDestination } from './destination-url.ts'
import { createEgressProxy } from './egress-proxy.ts'
import { reasonOf } from './failure-reasons.ts'
import { DEFAULT_LIMITS, type ExchangeLimits } from './limits.ts'
import { OrganizationConnections } from './organization-connections.ts'
import type { Outcome } from './outcome.ts'
import type { AddressGuard } from './public-address.ts'
import { requestHeaders } from './request-headers.ts'
import { createGuardedLookup, createResolver, type Lookup, readHostsFile } from './resolve-name.ts'

export interface HttpSender extends AsyncDisposable {
  /** Sends one POST request. Rejects only if the request is not valid HTTP; everything else is an outcome. */
  send(request: HttpRequest): Promise<Outcome>
  /** Aborts new requests, waits for those in flight (abort their signals to end them), and closes all connections. */
  close(): Promise<void>
}

export interface HttpRequest {
  /** Organizations share no connections or limits. */
  readonly organizationId: string
  readonly url: string
  /** The sender sets `user-agent` and `accept-encoding` itself and ignores them here. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
  readonly acknowledgeTimeoutMs?: number | undefined
  /** Ends the request. */
  readonly signal?: AbortSignal | undefined
}

export interface HttpSenderOptions extends Partial<ExchangeLimits> {
  readonly guard: AddressGuard
  readonly userAgent: string
  /** PEM certificates of authorities to trust in addition to Node's default ones. */
  readonly caPem?: readonly string[]
  /** An http:// or https:// forward proxy. The guard checks destinations, not the proxy. */
  readonly proxyUrl?: string
  /** Name servers as `address:port`. Default: the system's. */
  readonly dnsServers?: readonly string[]
  /** Resolves host names instead of DNS and the hosts file. */
  readonly lookup?: Lookup | undefined
}

export function createHttpSender(options: HttpSenderOptions): HttpSender {
  const { guard, userAgent, caPem = [], proxyUrl, dnsServers = null, lookup, ...given } = options
  const limits = { ...DEFAULT_LIMITS, ...given }
  const hosts = readHostsFile(guard)
  const secureContext = createSecureContext(caPem)
  const openTunnel = proxyUrl === undefined ? null : createEgressProxy(proxyUrl, secureContext)
  /** Least recently used first. */
  const organizations = new Map<string, OrganizationConnections>()
  const inFlight = new Set<Promise<unknown>>()
  let isClosing = false

  function connectionsOf(id: string): OrganizationConnections {
    const connections = organizations.get(id) ?? openConnections()
    organizations.delete(id)
    organizations.set(id, connections)
    return connections
  }

  function openConnections(): OrganizationConnections {
    if (organizations.size >= MAX_ORGANIZATIONS) closeLongestIdle()
    return new OrganizationConnections({
      ...limits,
      lookup: createGuardedLookup(guard, lookup ?? createResolver(hosts, dnsServers)),
      secureContext,
      openTunnel,
    })
  }

  function closeLongestIdle(): void {
    for (const [id, connections] of organizations) {
      if (!connections.isIdle) continue
      organizations.delete(id)
      void connections.close()
      return
    }
  }

  async function send(request: HttpRequest): Promise<Outcome> {
    const { organizationId, url, body, signal, acknowledgeTimeoutMs } = request
    const parsed = parseDestination(url, guard)
    if (parsed.rejection !== null) {
      return {
        kind: 'failed',
        code: parsed.rejection,
        reason: reasonOf(parsed.rejection),
        durationMs: 0,
        resent: false,
        connection: null,
      }
    }
    if (isClosing || signal?.aborted) return { kind: 'aborted' }
    const { origin, path } = parsed.destination
    const headers = requestHeaders(userAgent, request.headers)
    const sending = connectionsOf(organizationId).send(
      { method: 'POST', origin, path, headers, body },
      acknowledgeTimeoutMs === undefined ? limits : { ...limits, acknowledgeTimeoutMs },
      signal,
    )
    inFlight.add(sending)
    try {
      return await sending
    } finally {
      inFlight.delete(sending)
    }
  }

  async function close(): Promise<void> {
    isClosing = true
    await Promise.allSettled(inFlight)
    await Promise.all([...organizations.values()].map((connections) => connections.close()))
    organizations.clear()
  }

  return { send, close, [Symbol.asyncDispose]: close }
}

/** How many organizations keep their connections. Exceeded only while more of them have requests in flight. */
const MAX_ORGANIZATIONS = 500

/** Shared by all connections: with the option `ca`, Node would parse all authorities again for each connection. */
function createSecureContext(caPem: readonly string[]): tls.SecureContext {
  const minVersion = 'TLSv1.2'
  if (caPem.length === 0) return tls.createSecureContext({ minVersion })
  return tls.createSecureContext({
    minVersion,
    ca: [...tls.getCACertificates('default'), ...caPem],
  })
}
