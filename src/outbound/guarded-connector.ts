import { connect as connectTcp, isIP, type Socket } from 'node:net'
import type { SecureContext } from 'node:tls'
import { buildConnector } from 'undici'
import { watchEnd } from './connection-end.ts'
import type { OpenTunnel } from './egress-proxy.ts'
import { ConnectionFailure, ConnectTimedOut } from './failure.ts'
import type { Lookup } from './guarded-lookup.ts'

export interface ConnectorOptions {
  /** Gives checked addresses only. */
  readonly lookup: Lookup
  readonly secureContext: SecureContext
  readonly openTunnel: OpenTunnel | null
  readonly connectTimeoutMs: number
  /** A receiver of this origin sent something that answers no request. */
  readonly onSurplus: (origin: string) => void
}

export interface GuardedConnector {
  /** As undici's `connect` option wants it. */
  readonly connect: buildConnector.connector
  /** Gives up the connections that are being made. */
  close(): void
}

/**
 * The one place where Posthorn opens connections to strangers, and so where the address guard sits: a socket is connected
 * to nothing but the addresses that were checked, and TLS verifies the name.
 */
export function createGuardedConnector(options: ConnectorOptions): GuardedConnector {
  const { lookup, secureContext, openTunnel, connectTimeoutMs, onSurplus } = options
  const secure = renewed(() =>
    buildConnector({ secureContext, rejectUnauthorized: true, allowH2: false, timeout: 0 }),
  )
  const underWay = new Set<AbortController>()
  /** Origins whose last connection sent something before it was sent a request. */
  const early = new Set<string>()

  async function open(hostname: string, port: number, signal: AbortSignal): Promise<Socket> {
    const addresses = await lookup(hostname)
    if (openTunnel !== null) return await openTunnel(addresses, port, signal)
    return await new Promise((resolve, reject) => {
      const socket = connectTcp({
        host: hostname,
        port,
        lookup: (_hostname, _options, callback) => callback(null, addresses),
        autoSelectFamily: true,
        autoSelectFamilyAttemptTimeout: TIMEOUT_PER_ADDRESS_MS,
        signal,
      })
      socket.once('connect', () => resolve(socket)).on('error', reject)
    })
  }

  function connect(to: buildConnector.Options, callback: buildConnector.Callback): void {
    const { protocol, host, hostname, port } = to
    const origin = `${protocol}//${host}`
    const connecting = new AbortController()
    let httpSocket: Socket | null = null
    const timer = setTimeout(() => finish(new ConnectTimedOut(), null), connectTimeoutMs)
    underWay.add(connecting)
    connecting.signal.addEventListener('abort', () => finish(new ConnectTimedOut(), null))

    function finish(...[error, socket]: Parameters<buildConnector.Callback>): void {
      if (!underWay.delete(connecting)) return
      clearTimeout(timer)
      if (error) {
        connecting.abort()
        httpSocket?.destroy()
        callback(error, null)
      } else {
        watchEnd(socket, (wasAsked) => onInvalid(origin, wasAsked))
        // One turn later, so that what came with the handshake is seen before a request is written.
        setImmediate(() => {
          if (socket.destroyed)
            callback(socket.errored ?? new ConnectionFailure('closed_early'), null)
          else callback(null, socket)
        })
      }
    }

    // undici would connect again and again, as the request has not been sent.
    const opening = early.delete(origin)
      ? Promise.reject(new ConnectionFailure('invalid_http'))
      : open(hostname, Number(port || 443), connecting.signal)
    opening.then(
      (socket) => {
        httpSocket = socket
        if (connecting.signal.aborted) socket.destroy()
        else secure()({ ...to, servername: serverName(hostname), httpSocket }, finish)
      },
      (error: Error) => finish(error, null),
    )
  }

  function onInvalid(origin: string, wasAsked: boolean): void {
    onSurplus(origin)
    if (!wasAsked) early.add(origin)
  }

  return {
    connect,
    close() {
      for (const connecting of underWay) connecting.abort()
    },
  }
}

const TIMEOUT_PER_ADDRESS_MS = 500

/** RFC 6066: neither addresses nor the root's dot are sent as a server name. */
function serverName(hostname: string): string {
  return isIP(hostname) === 0 ? hostname.replace(/\.$/, '') : ''
}

/**
 * A connector remembers TLS sessions, and a resumed one is not verified again: under steady traffic a certificate that has
 * expired would stay unnoticed.
 */
function renewed(build: () => buildConnector.connector): () => buildConnector.connector {
  let connector = build()
  let builtAt = performance.now()
  return () => {
    if (performance.now() - builtAt > VERIFY_EVERY_MS) {
      connector = build()
      builtAt = performance.now()
    }
    return connector
  }
}

const VERIFY_EVERY_MS = 3_600_000
