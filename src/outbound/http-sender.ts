import * as tls from 'node:tls'
import { Agent, type Dispatcher } from 'undici'
import { LruMap } from '../lib/lru-map.ts'
import { parseDestination } from './destination-url.ts'
import { createEgressProxy } from './egress-proxy.ts'
import { DEFAULT_LIMITS, Exchange, type ExchangeLimits } from './exchange.ts'
import { reasonOf } from './failure-reasons.ts'
import { type ConnectorOptions, createGuardedConnector } from './guarded-connector.ts'
import type { Outcome } from './outcome.ts'
import type { AddressGuard } from './public-address.ts'
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
  const destinations = new LruMap<string, ReturnType<typeof parseDestination>>(DESTINATIONS)
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
    const known = destinations.get(url)
    const destination = known ?? parseDestination(url, guard)
    if (!known) destinations.set(url, destination)
    if (typeof destination === 'string') {
      const reason = reasonOf(destination)
      const timing = { durationMs: 0, resent: false, connection: null }
      return { kind: 'failed', code: destination, reason, ...timing }
    }
    if (isClosing || signal?.aborted) return { kind: 'aborted' }
    const { origin, path } = destination
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

/** Parsing a URL takes more memory than anything else that a request needs. */
const DESTINATIONS = { maxEntries: 1_000, maxAgeMs: 60_000 }

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

interface OrganizationOptions
  extends Omit<ConnectorOptions, 'onSurplusBytes'>,
    Pick<ExchangeLimits, 'maxHeaderBytes'> {}

type OriginRequest = Dispatcher.DispatchOptions & { readonly origin: string }

/** The connections, DNS lookups and limits of one organization, which no other organization shares. */
class OrganizationConnections {
  readonly #options: OrganizationOptions
  readonly #connector: ReturnType<typeof createGuardedConnector>
  readonly #keepAlive: Agent
  /** For requests with `reset`, each on a new connection: a reused one may be stale or still receive stray bytes. */
  #singleUse: Agent | null = null
  /** The origins that sent surplus bytes get a new connection for each request. */
  readonly #withoutKeepAlive = new Set<string>()
  #inFlight = 0

  constructor(options: OrganizationOptions) {
    this.#options = options
    const onSurplusBytes = (origin: string) => {
      const [oldest = ''] = this.#withoutKeepAlive
      this.#withoutKeepAlive.add(origin)
      if (this.#withoutKeepAlive.size > MAX_WITHOUT_KEEP_ALIVE)
        this.#withoutKeepAlive.delete(oldest)
    }
    this.#connector = createGuardedConnector({ ...options, onSurplusBytes })
    this.#keepAlive = this.#openAgent()
  }

  get isIdle(): boolean {
    return this.#inFlight === 0
  }

  send(request: OriginRequest, limits: ExchangeLimits, signal?: AbortSignal): Promise<Outcome> {
    const { promise, resolve, reject } = Promise.withResolvers<Outcome>()
    const group = signal && abortGroup(signal)
    const exchange = new Exchange(limits, {
      settled: (outcome) => {
        group?.delete(exchange)
        if (outcome.kind === 'answered') onceConnectionIsFree(() => resolve(outcome))
        else resolve(outcome)
      },
      released: () => {
        this.#inFlight -= 1
      },
      resend: () => this.#dispatchOnce(exchange, request),
      invalidRequest: reject,
    })
    this.#inFlight += 1
    group?.add(exchange)
    if (this.#withoutKeepAlive.has(request.origin)) this.#dispatchOnce(exchange, request)
    else exchange.dispatch(this.#keepAlive, request)
    return promise
  }

  /** Closes all connections. Call after all requests have settled. */
  async close(): Promise<void> {
    this.#connector.close()
    await Promise.all([this.#keepAlive.destroy(), this.#singleUse?.destroy()])
  }

  #dispatchOnce(exchange: Exchange, request: OriginRequest): void {
    this.#singleUse ??= this.#openAgent()
    exchange.dispatch(this.#singleUse, { ...request, reset: true })
  }

  #openAgent(): Agent {
    return new Agent({
      connect: this.#connector.connect,
      allowH2: false,
      keepAliveTimeout: KEEP_ALIVE_MS,
      keepAliveMaxTimeout: KEEP_ALIVE_MS,
      keepAliveTimeoutThreshold: KEEP_ALIVE_MARGIN_MS,
      clientTtl: MAX_AGE_MS,
      maxHeaderSize: this.#options.maxHeaderBytes,
      headersTimeout: 0,
      bodyTimeout: 0,
    })
  }
}

/** As many as an organization has webhooks. */
const MAX_WITHOUT_KEEP_ALIVE = 1_000

/** Shorter than the usual idle timeout of servers that do not send a `Keep-Alive` header. */
const KEEP_ALIVE_MS = 10_000
/** Subtracted from the idle timeout in a server's `Keep-Alive` header. */
const KEEP_ALIVE_MARGIN_MS = 2_000
/** Connections are renewed after this time, so that DNS changes take effect under steady traffic. */
const MAX_AGE_MS = 300_000

/** undici frees the connection of a response one turn of the loop later. The next request must find it free. */
function onceConnectionIsFree(next: () => void): void {
  process.nextTick(setImmediate, next)
}

/**
 * The headers of a request as a flat list of names and values, without those that the sender sets itself. Throws for
 * an invalid header and for one that the connection sets. undici also rejects such a request, but then its pool never
 * frees the connection.
 */
function requestHeaders(userAgent: string, headers: Readonly<Record<string, string>>): string[] {
  // No compression: bodies are stored as received, and a small compressed body could expand to a huge one.
  const list = ['user-agent', userAgent, 'accept-encoding', 'identity']
  for (const name of Object.keys(headers)) {
    const value = headers[name] as string
    if (SET_BY_SENDER.test(name)) continue
    if (!TOKEN.test(name)) {
      throw new TypeError(`The header name ${JSON.stringify(name)} is not a valid HTTP token.`)
    }
    if (SET_BY_CONNECTION.test(name)) {
      throw new TypeError(`The header "${name}" is set by the connection; remove it.`)
    }
    if (INVALID_VALUE_CHARACTER.test(value)) {
      throw new TypeError(`The value of the header "${name}" contains an invalid character.`)
    }
    list.push(name, value)
  }
  return list
}

const SET_BY_SENDER = /^(user-agent|accept-encoding)$/i

/** Headers that frame the request or belong to the connection: a second value could mislead the receiver. */
const SET_BY_CONNECTION =
  /^(host|connection|content-length|transfer-encoding|expect|upgrade|keep-alive|te|trailer)$/i

/** A valid header name (RFC 9110, section 5.6.2). */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/

/** Matches a character that a header value must not contain (RFC 9110, section 5.5). */
const INVALID_VALUE_CHARACTER = /[^\t\x20-\x7e\x80-\xff]/
const groups = new WeakMap<AbortSignal, Set<Exchange>>()

/**
 * The requests that a signal aborts: add a request when it starts and delete it when it ends. All requests of a
 * worker share one signal, and an `AbortSignal` searches its whole list of listeners whenever one is added or removed;
 * so each group has a single listener.
 */
function abortGroup(signal: AbortSignal): Set<Exchange> {
  const known = groups.get(signal)
  if (known) return known
  const group = new Set<Exchange>()
  groups.set(signal, group)
  signal.addEventListener('abort', () => {
    for (const request of group) request.abort()
  })
  return group
}
