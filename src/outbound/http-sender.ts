import * as tls from 'node:tls'
import { createDestinationReader } from './destination.ts'
import { createEgressProxy } from './egress-proxy.ts'
import { createGuardedLookup, type Lookup } from './guarded-lookup.ts'
import { type ConnectionLimits, DEFAULT_LIMITS, type ExchangeLimits } from './limits.ts'
import { OrganizationConnections } from './organization-connections.ts'
import type { Outcome } from './outcome.ts'
import type { AddressGuard } from './public-address.ts'
import { requestHeaders } from './request-headers.ts'
import { createResolver, readHostsFile } from './resolve-name.ts'

export interface HttpSender extends AsyncDisposable {
  /** POSTs once. It rejects only for a request that is not valid HTTP; everything else is an outcome. */
  send(request: HttpRequest): Promise<Outcome>
  /** Takes no more requests, waits for those under way (abort their signals to abort) and closes all connections. */
  close(): Promise<void>
}

export interface HttpRequest {
  /** Whose request it is: organizations share nothing on the way out. */
  readonly organizationId: string
  readonly url: string
  /** `user-agent` and `accept-encoding` are the sender's; those given here are left out. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
  readonly acknowledgeTimeoutMs?: number | undefined
  readonly signal?: AbortSignal | undefined
}

export interface HttpSenderOptions extends Partial<ExchangeLimits & ConnectionLimits> {
  readonly guard: AddressGuard
  readonly userAgent: string
  /** PEM certificates of authorities to trust besides Node's default ones. */
  readonly caPem?: readonly string[]
  /** An http:// or https:// forward proxy. The guard judges destinations, not the proxy. */
  readonly proxyUrl?: string
  /** Name servers, as `address:port`, in place of the system's. */
  readonly dnsServers?: readonly string[]
  /** Resolves names in place of DNS and the hosts file. */
  readonly lookup?: Lookup | undefined
}

export function createHttpSender(options: HttpSenderOptions): HttpSender {
  const { guard, userAgent, caPem = [], proxyUrl, dnsServers = null, lookup, ...given } = options
  const limits = { ...DEFAULT_LIMITS, ...given }
  const readDestination = createDestinationReader(guard)
  const hosts = readHostsFile(guard)
  const secureContext = createSecureContext(caPem)
  const openTunnel = proxyUrl === undefined ? null : createEgressProxy(proxyUrl, secureContext)
  const withoutKeepAlive = new Set<string>()
  /** The one that was used longest ago comes first. */
  const organizations = new Map<string, OrganizationConnections>()
  const underWay = new Set<Promise<unknown>>()
  let isClosing = false

  function connectionsOf(id: string): OrganizationConnections {
    const connections = organizations.get(id) ?? openConnections(id)
    organizations.delete(id)
    organizations.set(id, connections)
    return connections
  }

  function openConnections(id: string): OrganizationConnections {
    if (organizations.size >= MAX_ORGANIZATIONS) closeLongestIdle()
    const key = (origin: string) => `${id} ${origin}`
    return new OrganizationConnections({
      ...limits,
      lookup: createGuardedLookup(guard, lookup ?? createResolver(hosts, dnsServers)),
      secureContext,
      openTunnel,
      withoutKeepAlive: {
        has: (origin) => withoutKeepAlive.has(key(origin)),
        add(origin) {
          const [oldest = ''] = withoutKeepAlive
          withoutKeepAlive.add(key(origin))
          if (withoutKeepAlive.size > MAX_WITHOUT_KEEP_ALIVE) withoutKeepAlive.delete(oldest)
        },
      },
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
    const { organizationId, url, body, signal } = request
    const { acknowledgeTimeoutMs = limits.acknowledgeTimeoutMs } = request
    const reading = readDestination(url)
    if (reading.rejection !== null) {
      return {
        kind: 'refused',
        reason: reading.rejection,
        durationMs: 0,
        waitedMs: 0,
        resent: false,
      }
    }
    if (isClosing || signal?.aborted) return { kind: 'aborted' }
    const { origin, path } = reading.destination
    const headers = requestHeaders(userAgent, request.headers)
    const sending = connectionsOf(organizationId).send(
      { method: 'POST', origin, path, headers, body },
      { ...limits, acknowledgeTimeoutMs },
      signal,
    )
    underWay.add(sending)
    try {
      return await sending
    } finally {
      underWay.delete(sending)
    }
  }

  async function close(): Promise<void> {
    isClosing = true
    await Promise.allSettled(underWay)
    await Promise.all([...organizations.values()].map((connections) => connections.close()))
    organizations.clear()
  }

  return { send, close, [Symbol.asyncDispose]: close }
}

/** Of those that have connections open. More only where more than so many send at the same moment. */
const MAX_ORGANIZATIONS = 500

/** Endpoints, of all organizations, that are remembered for having sent surplus bytes. */
const MAX_WITHOUT_KEEP_ALIVE = 10_000

/** Created once: with `ca` instead, Node would parse all authorities again for every connection. */
function createSecureContext(caPem: readonly string[]): tls.SecureContext {
  const minVersion = 'TLSv1.2'
  if (caPem.length === 0) return tls.createSecureContext({ minVersion })
  return tls.createSecureContext({
    minVersion,
    ca: [...tls.getCACertificates('default'), ...caPem],
  })
}
