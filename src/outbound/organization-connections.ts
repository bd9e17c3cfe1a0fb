import { Agent, type Dispatcher } from 'undici'
import { Exchange } from './exchange.ts'
import { type ConnectorOptions, createGuardedConnector } from './guarded-connector.ts'
import type { ExchangeLimits } from './limits.ts'
import type { Outcome } from './outcome.ts'

export interface OrganizationOptions
  extends Omit<ConnectorOptions, 'onSurplusBytes'>,
    Pick<ExchangeLimits, 'maxHeaderBytes'> {}

export type OriginRequest = Dispatcher.DispatchOptions & { readonly origin: string }

/** The connections, DNS lookups and limits of one organization, which no other organization shares. */
export class OrganizationConnections {
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
