import { AsyncLocalStorage } from 'node:async_hooks'
import type { LookupAddress } from 'node:dns'
import { once } from 'node:events'
import { connect as connectTcp, isIP, type Socket } from 'node:net'
import type { SecureContext } from 'node:tls'
import { buildConnector, errors } from 'undici'
import type { OpenTunnel } from './egress-proxy.ts'
import { ConnectionFailure, codeOf, TimeLimitReached } from './failure.ts'
import type { ConnectionTimes } from './outcome.ts'
import type { Lookup } from './resolve-name.ts'

export interface ConnectorOptions {
  /** Must return checked addresses only. */
  readonly lookup: Lookup
  readonly secureContext: SecureContext
  readonly openTunnel: OpenTunnel | null
  readonly connectTimeoutMs: number
  /** A receiver of this origin sent bytes that are not a response to a request. */
  readonly onSurplusBytes: (origin: string) => void
}

/**
 * The only place where Posthorn opens connections to customers' endpoints. Sockets connect only to the addresses that
 * the guard checked, and TLS verifies the host name.
 */
export function createGuardedConnector(options: ConnectorOptions) {
  const { lookup, secureContext, openTunnel, connectTimeoutMs, onSurplusBytes } = options
  const connectTls = buildConnector({
    secureContext,
    rejectUnauthorized: true,
    allowH2: false,
    timeout: 0,
    // Resuming a TLS session does not verify the certificate, which may have expired.
    maxCachedSessions: 0,
  })
  const opening = new Set<AbortController>()
  /** Origins whose last connection received data before a request was sent. */
  const spokeFirst = new Set<string>()

  async function open(
    hostname: string,
    port: number,
    signal: AbortSignal,
    times: ConnectionTimer | undefined,
  ): Promise<Socket> {
    const addresses = await lookup(hostname)
    times?.next()
    // The first is of IPv4 if there is one: fewer proxies support IPv6.
    const [first] = addresses
    if (openTunnel && first) return await openTunnel(first, port, signal)
    return await connectToOne(hostname, addresses, port, signal)
  }

  function connect(to: buildConnector.Options, callback: buildConnector.Callback): void {
    const { protocol, host, hostname, port } = to
    const origin = `${protocol}//${host}`
    const connecting = new AbortController()
    const times = ConnectionTimer.current()
    times?.start(() => connecting.abort())
    let httpSocket: Socket | null = null
    const end = () => finish(new TimeLimitReached('connect_timed_out', connectTimeoutMs), null)
    const timer = setTimeout(end, connectTimeoutMs)
    opening.add(connecting)
    connecting.signal.addEventListener('abort', end)

    function finish(...[error, socket]: Parameters<buildConnector.Callback>): void {
      if (!opening.delete(connecting)) return
      clearTimeout(timer)
      if (error) {
        connecting.abort()
        httpSocket?.destroy()
        callback(error, null)
      } else {
        times?.next()
        watchConnectionEnd(socket, (requestWasSent) => onInvalidHttp(origin, requestWasSent))
        // One turn of the loop later, so that data sent with the handshake is seen before a request is written.
        setImmediate(() => {
          if (socket.destroyed)
            callback(socket.errored ?? new ConnectionFailure('closed_early'), null)
          else callback(null, socket)
        })
      }
    }

    // undici reconnects without limit while the request is unsent, so the second connection fails here.
    const socketOpened = spokeFirst.delete(origin)
      ? Promise.reject(new ConnectionFailure('invalid_http', SPOKE_FIRST))
      : open(hostname, Number(port || 443), connecting.signal, times)
    socketOpened.then(
      (socket) => {
        httpSocket = socket
        times?.next()
        if (connecting.signal.aborted) socket.destroy()
        else connectTls({ ...to, servername: serverName(hostname), httpSocket }, finish)
      },
      (error: Error) => finish(error, null),
    )
  }

  function onInvalidHttp(origin: string, requestWasSent: boolean): void {
    onSurplusBytes(origin)
    if (!requestWasSent) spokeFirst.add(origin)
  }

  return {
    /** For undici's `connect` option. */
    connect,
    /** Aborts the connections that are being opened. */
    close(): void {
      for (const connecting of opening) connecting.abort()
    },
  }
}

/** Node connects to one after the other, of both families in turn, and gives each but the last a second. */
async function connectToOne(
  host: string,
  addresses: readonly LookupAddress[],
  port: number,
  signal: AbortSignal,
): Promise<Socket> {
  const socket = connectTcp({
    host,
    port,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: 1_000,
    lookup: (_host, _options, found) => found(null, [...addresses]),
  })
  try {
    await once(socket, 'connect', { signal })
    return socket
  } catch (error) {
    socket.destroy()
    throw mostTelling(error as Error & { readonly errors?: readonly Error[] })
  }
}

/** A family without a route says something about this machine; an answer says something about the receiver. */
function mostTelling(error: Error & { readonly errors?: readonly Error[] }): Error {
  return error.errors?.find((one) => !NO_ROUTE.has(codeOf(one))) ?? error
}

const NO_ROUTE: ReadonlySet<string> = new Set(['ENETUNREACH', 'EHOSTUNREACH', 'EADDRNOTAVAIL'])

const SPOKE_FIRST = 'The receiver sent data before it got the request.'

/** RFC 6066: a server name is never an address and has no trailing dot. */
function serverName(hostname: string): string {
  return isIP(hostname) === 0 ? hostname.replace(/\.$/, '') : ''
}

/** Measures and can abort how a connection is opened for one request. A request on a reused connection never starts its timer. */
export class ConnectionTimer {
  /** When opening began, and when the name was looked up, TCP connected and TLS ready. */
  #marks: number[] = []
  #abort: (() => void) | null = null

  /** The timer of the request that is being dispatched. undici calls a connector in the context of its request. */
  static current(): ConnectionTimer | undefined {
    return dispatching.getStore()
  }

  run(dispatch: () => void): void {
    dispatching.run(this, dispatch)
  }

  /** Starts again if a request needs a second connection. `abort` stops opening the connection. */
  start(abort: () => void): void {
    this.#abort = abort
    this.#marks = [performance.now()]
  }

  /** The next phase begins. */
  next(): void {
    this.#marks.push(performance.now())
  }

  /** Stops opening the connection, unless it is open. */
  abort(): void {
    this.#abort?.()
  }

  /** A phase that has not ended counts until now. Null if no connection was opened. */
  times(): ConnectionTimes | null {
    const marks = this.#marks
    if (marks.length === 0) return null
    const phaseMs = (n: number) =>
      Math.round((marks[n + 1] ?? performance.now()) - (marks[n] as number))
    return {
      lookupMs: phaseMs(0),
      connectMs: marks.length > 1 ? phaseMs(1) : null,
      tlsMs: marks.length > 2 ? phaseMs(2) : null,
    }
  }
}

const dispatching = new AsyncLocalStorage<ConnectionTimer>()

/** How the connection ended that undici reports an error for. */
interface ConnectionEnd {
  /** The first error on the socket. After a TLS alert the connection ends, and undici reports only that end. */
  readonly cause: Error
  /** The connection had received data before. */
  readonly wasUsed: boolean
  /** undici closed the connection because it received data that is not a response to a request. */
  readonly isInvalidHttp: boolean
}

const ends = new WeakMap<Error, ConnectionEnd>()

export function connectionEndOf(error: Error): ConnectionEnd | undefined {
  return ends.get(error)
}

/** Call before undici gets the socket. `onInvalidHttp` learns whether a request had been sent by then. */
function watchConnectionEnd(
  socket: Socket,
  onInvalidHttp: (requestWasSent: boolean) => void,
): void {
  let cause: Error | null = null
  socket.on('error', (error) => {
    cause ??= error
    const isInvalidHttp = isUndiciSocketError(error) && !socket.readableEnded
    ends.set(error, { cause, wasUsed: socket.bytesRead > 0, isInvalidHttp })
    if (isInvalidHttp) onInvalidHttp(socket.bytesWritten > 0)
  })
}

/** undici also throws a `SocketError` when the receiver closes the connection; `readableEnded` tells the two apart. */
function isUndiciSocketError(error: Error): boolean {
  return error instanceof errors.HTTPParserError || error instanceof errors.SocketError
}
