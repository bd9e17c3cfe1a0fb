import type { Dispatcher } from 'undici'
import { abortedBy } from './abort-together.ts'
import { Agents } from './agents.ts'
import { Exchange } from './exchange.ts'
import { type ConnectorOptions, createGuardedConnector } from './guarded-connector.ts'
import type { ConnectionLimits, ExchangeLimits } from './limits.ts'
import type { Outcome } from './outcome.ts'
import { Permits } from './permits.ts'

export interface OrganizationOptions
  extends Omit<ConnectorOptions, 'onSurplus'>,
    ConnectionLimits,
    Pick<ExchangeLimits, 'maxHeaderBytes'> {
  /** The origins that are used without keep-alive. */
  readonly withoutKeepAlive: { has(origin: string): boolean; add(origin: string): void }
}

export type OriginRequest = Dispatcher.DispatchOptions & { readonly origin: string }

interface OriginUse {
  readonly permits: Permits
  /** Connections that are kept, or carry a request. */
  open: number
}

/** What one organization sends over, and shares with no other: connections, TLS sessions, look-ups and permits. */
export class OrganizationConnections {
  readonly #options: OrganizationOptions
  readonly #connector: ReturnType<typeof createGuardedConnector>
  readonly #agents: Agents
  readonly #connecting: Permits
  readonly #origins = new Map<string, OriginUse>()
  #underWay = 0

  constructor(options: OrganizationOptions) {
    this.#options = options
    const onSurplus = (origin: string) => options.withoutKeepAlive.add(origin)
    this.#connector = createGuardedConnector({ ...options, onSurplus })
    this.#connecting = new Permits(options.connecting)
    this.#agents = new Agents({
      ...options,
      connect: this.#connector.connect,
      onKept: (origin, change) => this.#count(origin, change),
    })
  }

  get isIdle(): boolean {
    return this.#underWay === 0
  }

  /** Sends once there are permits: for a connection to the origin, and for making it unless one is kept. */
  send(request: OriginRequest, limits: ExchangeLimits, signal?: AbortSignal): Promise<Outcome> {
    const { promise, resolve, reject } = Promise.withResolvers<Outcome>()
    const use = this.#useOf(request.origin)
    const together = signal && abortedBy(signal)
    let isConnecting = false

    const exchange = new Exchange(limits, {
      connected: () => {
        if (!isConnecting) return
        isConnecting = false
        this.#connecting.give()
      },
      settled: (outcome) => {
        together?.delete(exchange)
        if (use.permits.withdraw(exchange)) this.#underWay -= 1
        else if (this.#connecting.withdraw(exchange)) this.#release(request.origin, use)
        if (outcome.kind === 'answered') onceFree(() => resolve(outcome))
        else resolve(outcome)
      },
      released: () => onceFree(() => this.#release(request.origin, use)),
      repeat: () => connectAndDispatch(true),
      faulted: reject,
    })

    const dispatch = (alone: boolean) => {
      exchange.startConnecting()
      const agent = alone ? this.#agents.unkept : this.#agents.keeping
      agent.dispatch({ ...request, reset: alone }, exchange)
    }
    const connectAndDispatch = (alone: boolean) => {
      this.#connecting.take(exchange, () => {
        isConnecting = true
        dispatch(alone)
      })
    }

    this.#underWay += 1
    together?.add(exchange)
    use.permits.take(exchange, () => {
      const alone = this.#options.withoutKeepAlive.has(request.origin)
      const isOneKept = use.open >= use.permits.taken
      if (isOneKept && !alone) dispatch(false)
      else connectAndDispatch(alone)
    })
    if (exchange.isWaiting) exchange.startWaiting()
    return promise
  }

  /** Closes all connections. Requests are to be settled before. */
  async close(): Promise<void> {
    this.#connector.close()
    await this.#agents.close()
  }

  #useOf(origin: string): OriginUse {
    const known = this.#origins.get(origin)
    if (known) return known
    const use = { permits: new Permits(this.#options.connectionsPerOrigin), open: 0 }
    this.#origins.set(origin, use)
    return use
  }

  #count(origin: string, change: 1 | -1): void {
    const use = this.#useOf(origin)
    use.open += change
    this.#forgetUnused(origin, use)
  }

  #release(origin: string, use: OriginUse): void {
    this.#underWay -= 1
    use.permits.give()
    this.#forgetUnused(origin, use)
  }

  #forgetUnused(origin: string, { open, permits }: OriginUse): void {
    if (open === 0 && permits.taken === 0) this.#origins.delete(origin)
  }
}

/** undici has a connection free one turn of the loop after its answer. Who sends next is to find it. */
function onceFree(next: () => void): void {
  process.nextTick(setImmediate, next)
}
