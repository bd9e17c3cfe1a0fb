import type { Dispatcher } from 'undici'
import { Agents } from './agents.ts'
import { Exchange } from './exchange.ts'
import { type ConnectorOptions, createGuardedConnector } from './guarded-connector.ts'
import { type ConnectionLimits, type ExchangeLimits, PROMPT_TURNS, TURN_MS } from './limits.ts'
import type { Outcome } from './outcome.ts'
import { Semaphore } from './semaphore.ts'

export interface OrganizationOptions
  extends Omit<ConnectorOptions, 'onSurplusBytes'>,
    ConnectionLimits,
    Pick<ExchangeLimits, 'maxHeaderBytes'> {
  /** The origins that get a new connection for each request. */
  readonly withoutKeepAlive: { has(origin: string): boolean; add(origin: string): void }
}

export type OriginRequest = Dispatcher.DispatchOptions & { readonly origin: string }

/** How the caller ends a request. */
export interface SendControl {
  readonly signal?: AbortSignal | undefined
  /**
   * Asked every 250 ms while the request has no connection. With `false`, the request ends as `busy`, and its connection
   * is no longer opened.
   */
  readonly mayGoOn?: (() => boolean) | undefined
}

interface OriginState {
  /** One permit per request in flight. */
  readonly permits: Semaphore
  /** Connections of the keep-alive agent, idle or in use. */
  open: number
}

/** The connections, DNS lookups and limits of one organization, which no other organization shares. */
export class OrganizationConnections {
  readonly #options: OrganizationOptions
  readonly #connector: ReturnType<typeof createGuardedConnector>
  readonly #agents: Agents
  readonly #starting: Semaphore
  readonly #origins = new Map<string, OriginState>()
  #inFlight = 0

  constructor(options: OrganizationOptions) {
    this.#options = options
    const onSurplusBytes = (origin: string) => options.withoutKeepAlive.add(origin)
    this.#connector = createGuardedConnector({ ...options, onSurplusBytes })
    this.#starting = new Semaphore(options.maxStarting)
    this.#agents = new Agents({
      ...options,
      connect: this.#connector.connect,
      onConnectionCount: (origin, change) => this.#countOpen(origin, change),
    })
  }

  get isIdle(): boolean {
    return this.#inFlight === 0
  }

  /** Sends once the request has a permit for the origin and, unless an idle connection is open, one to start another. */
  send(
    request: OriginRequest,
    limits: ExchangeLimits,
    { signal, mayGoOn = () => true }: SendControl,
  ): Promise<Outcome> {
    const { promise, resolve, reject } = Promise.withResolvers<Outcome>()
    const origin = this.#originState(request.origin)
    const group = signal && abortGroup(signal)

    let isStarting = false
    const endStarting = () => {
      if (isStarting) this.#starting.release()
      isStarting = false
    }

    const exchange = new Exchange(limits, {
      connected: () => endStarting(),
      mayGoOn,
      settled: (outcome) => {
        group?.delete(exchange)
        if (origin.permits.cancel(exchange)) this.#inFlight -= 1
        else if (this.#starting.cancel(exchange)) this.#release(request.origin, origin)
        if (outcome.kind === 'answered') onceConnectionIsFree(() => resolve(outcome))
        else resolve(outcome)
      },
      released: () => onceConnectionIsFree(() => this.#release(request.origin, origin)),
      resend: () => connectAndDispatch(true),
      invalidRequest: reject,
    })

    const dispatch = (singleUse: boolean) => {
      const agent = singleUse ? this.#agents.singleUse : this.#agents.keepAlive
      exchange.dispatch(agent, singleUse ? { ...request, reset: true } : request)
    }
    const connectAndDispatch = (singleUse: boolean) => {
      exchange.expectConnection()
      this.#starting.acquire(exchange, () => {
        isStarting = true
        afterTurns(PROMPT_TURNS, endStarting)
        dispatch(singleUse)
      })
    }

    this.#inFlight += 1
    group?.add(exchange)
    origin.permits.acquire(exchange, () => {
      const singleUse = this.#options.withoutKeepAlive.has(request.origin)
      const hasIdleConnection = origin.open >= origin.permits.acquired
      if (hasIdleConnection && !singleUse) dispatch(false)
      else connectAndDispatch(singleUse)
    })
    if (exchange.isWaiting) exchange.startWaiting()
    return promise
  }

  /** Closes all connections. Call after all requests have settled. */
  async close(): Promise<void> {
    this.#connector.close()
    await this.#agents.close()
  }

  #originState(origin: string): OriginState {
    const known = this.#origins.get(origin)
    if (known) return known
    const state = { permits: new Semaphore(this.#options.connectionsPerOrigin), open: 0 }
    this.#origins.set(origin, state)
    return state
  }

  #countOpen(origin: string, change: 1 | -1): void {
    const state = this.#originState(origin)
    state.open += change
    this.#deleteIfUnused(origin, state)
  }

  #release(origin: string, state: OriginState): void {
    this.#inFlight -= 1
    state.permits.release()
    this.#deleteIfUnused(origin, state)
  }

  #deleteIfUnused(origin: string, { open, permits }: OriginState): void {
    if (open === 0 && permits.acquired === 0) this.#origins.delete(origin)
  }
}

function afterTurns(turns: number, next: () => void): void {
  if (turns === 0) next()
  else setTimeout(afterTurns, TURN_MS, turns - 1, next)
}

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
