import { AbortGroup } from './abort-group.ts'
import { ConnectionPool } from './connection-pool.ts'
import { createDestinationReader } from './destination.ts'
import { Exchange } from './exchange.ts'
import { createFairLookup } from './fair-lookup.ts'
import { type Lookup, systemLookup } from './guarded-lookup.ts'
import { DEFAULT_LIMITS, type ExchangeLimits } from './limits.ts'
import type { Outcome } from './outcome.ts'
import type { AddressGuard } from './public-address.ts'
import { toRequestBytes } from './request-bytes.ts'
import { createSecureSocketOpener } from './secure-socket.ts'

export interface HttpSender extends AsyncDisposable {
  /** POSTs once. It rejects only for a request that is not valid HTTP; everything else is an outcome. */
  send(request: HttpRequest): Promise<Outcome>
  /** Takes no more requests, waits for those under way (abort their signals to hurry) and closes all connections. */
  close(): Promise<void>
}

export interface HttpRequest {
  readonly url: string
  /** `user-agent` and `accept-encoding` are the sender's; those given here are left out. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
  readonly acknowledgeTimeoutMs?: number | undefined
  readonly signal?: AbortSignal | undefined
}

export interface HttpSenderOptions extends Partial<ExchangeLimits> {
  readonly guard: AddressGuard
  readonly userAgent: string
  /** PEM certificates of authorities to trust besides Node's default ones. */
  readonly caPem?: readonly string[]
  /** An http:// or https:// forward proxy. The guard judges destinations, not the proxy. */
  readonly proxyUrl?: string
  /** Beyond it, requests wait for a free connection; that time is not the receiver's. Default 256. */
  readonly connectionsPerOrigin?: number
  /** Resolves names in place of the system. */
  readonly lookup?: Lookup
}

export function createHttpSender(options: HttpSenderOptions): HttpSender {
  const {
    guard,
    userAgent,
    caPem = [],
    proxyUrl = null,
    connectionsPerOrigin = 256,
    lookup = systemLookup,
    ...givenLimits
  } = options
  const limits: ExchangeLimits = { ...DEFAULT_LIMITS, ...givenLimits }
  const readDestination = createDestinationReader(guard)
  const pool = new ConnectionPool({
    openSocket: createSecureSocketOpener({
      guard,
      lookup: createFairLookup(lookup),
      caPem,
      proxyUrl,
    }),
    connectionsPerOrigin,
  })
  let underWay = 0
  const abortable = new AbortGroup()
  let closing: PromiseWithResolvers<void> | null = null

  function send(request: HttpRequest): Promise<Outcome> {
    const { headers, body, signal, acknowledgeTimeoutMs = limits.acknowledgeTimeoutMs } = request
    const reading = readDestination(request.url)
    if (reading.refusal !== null) {
      return Promise.resolve({ kind: 'refused', reason: reading.refusal, durationMs: 0 })
    }
    if (closing || signal?.aborted) return Promise.resolve({ kind: 'aborted' })

    const { destination } = reading
    return new Promise((resolve) => {
      const bytes = toRequestBytes(destination, { userAgent, headers, body })
      const connections = pool.to(destination.origin)
      const exchange = new Exchange(
        bytes,
        acknowledgeTimeoutMs === limits.acknowledgeTimeoutMs
          ? limits
          : { ...limits, acknowledgeTimeoutMs },
        connections.lastHead,
        {
          settled(outcome) {
            end(exchange, signal)
            if (outcome.kind === 'aborted') connections.withdraw(exchange)
            resolve(outcome)
          },
          retry: () => connections.carryOnNewConnection(exchange),
        },
      )
      underWay += 1
      if (signal) abortable.add(exchange, signal)
      connections.carry(exchange)
    })
  }

  function end(exchange: Exchange, signal: AbortSignal | undefined): void {
    underWay -= 1
    if (signal) abortable.delete(exchange, signal)
    if (closing && underWay === 0) closing.resolve()
  }

  async function close(): Promise<void> {
    closing ??= Promise.withResolvers<void>()
    if (underWay === 0) closing.resolve()
    await closing.promise
    pool.closeResting()
  }

  return { send, close, [Symbol.asyncDispose]: close }
}
