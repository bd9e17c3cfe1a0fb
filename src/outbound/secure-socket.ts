import { isIP, type TcpNetConnectOpts } from 'node:net'
import * as tls from 'node:tls'
import type { Origin } from './destination.ts'
import { createGuardedLookup, type Lookup, toNetLookup } from './guarded-lookup.ts'
import { openTunnel, parseProxyUrl } from './proxy-tunnel.ts'
import type { AddressGuard } from './public-address.ts'

export interface SecureSocketOptions {
  readonly guard: AddressGuard
  readonly lookup: Lookup
  /** PEM certificates trusted besides Node's default authorities. */
  readonly caPem: readonly string[]
  readonly proxyUrl: string | null
}

export interface SecureSocketRequest {
  readonly origin: Origin
  /** A TLS session to resume. */
  readonly session: Buffer | null
  /** Destroys the connection at whatever step it is. */
  readonly signal: AbortSignal
  /** Is given what arrives, from the first byte. The memory is used again as soon as it returns. */
  readonly receive: (bytes: Buffer) => void
}

/** Opens a verified TLS connection to an origin. */
export type OpenSecureSocket = (request: SecureSocketRequest) => Promise<tls.TLSSocket>

/** The one place where Posthorn opens connections to strangers, and so where the address guard sits. */
export function createSecureSocketOpener(options: SecureSocketOptions): OpenSecureSocket {
  const { proxyUrl } = options
  const lookup = createGuardedLookup(options.guard, options.lookup)
  const netLookup = toNetLookup(lookup)
  const secureContext = createSecureContext(options.caPem)
  const proxy = proxyUrl === null ? null : parseProxyUrl(proxyUrl, secureContext)

  function tlsOptions({ hostname, port }: Origin, session: Buffer | null): tls.ConnectionOptions {
    return {
      host: hostname,
      port,
      // RFC 6066: neither addresses nor the root's dot are sent as a server name.
      ...(isIP(hostname) === 0 ? { servername: hostname.replace(/\.$/, '') } : {}),
      ...(session === null ? {} : { session }),
      secureContext,
      ALPNProtocols: ['http/1.1'],
      // Stated, so that NODE_TLS_REJECT_UNAUTHORIZED=0 does not reach deliveries.
      rejectUnauthorized: true,
    }
  }

  async function openDirectly({ origin, session, signal, receive }: SecureSocketRequest) {
    // Sockets look up names only, so an address is judged here.
    if (isIP(origin.hostname) !== 0) await lookup(origin.hostname)
    // Node's types for tls.connect lack the options that it hands on to net.connect.
    const options: tls.ConnectionOptions & TcpNetConnectOpts = {
      ...tlsOptions(origin, session),
      port: origin.port,
      lookup: netLookup,
      autoSelectFamily: true,
      autoSelectFamilyAttemptTimeout: ATTEMPT_PER_ADDRESS_MS,
      onread: {
        buffer: READ_BUFFER,
        callback(length) {
          receive(READ_BUFFER.subarray(0, length))
          return true
        },
      },
    }
    return secured(tls.connect(options), signal)
  }

  /**
   * The tunnel goes to a checked address, not to the name: the proxy would resolve the name again, and could be led
   * elsewhere than what was checked. The name is still what TLS verifies.
   */
  async function openThroughProxy({ origin, session, signal, receive }: SecureSocketRequest) {
    if (proxy === null) throw new Error('There is no proxy.')
    const addresses = await lookup(origin.hostname)
    const tunnel = await openTunnel(proxy, addresses, origin.port, signal)
    const socket = tls.connect({ ...tlsOptions(origin, session), socket: tunnel })
    return secured(socket.on('data', receive), signal)
  }

  return proxy === null ? openDirectly : openThroughProxy
}

const ATTEMPT_PER_ADDRESS_MS = 500

/** One for all connections: what is read is dealt with before another one reads. */
const READ_BUFFER = Buffer.allocUnsafeSlow(64 * 1024)

/** Made once: with `ca` instead, Node would parse all authorities anew for every connection. */
function createSecureContext(caPem: readonly string[]): tls.SecureContext {
  const minVersion = 'TLSv1.2'
  if (caPem.length === 0) return tls.createSecureContext({ minVersion })
  return tls.createSecureContext({
    minVersion,
    ca: [...tls.getCACertificates('default'), ...caPem],
  })
}

function secured(socket: tls.TLSSocket, signal: AbortSignal): Promise<tls.TLSSocket> {
  socket.setNoDelay(true)
  return new Promise((resolve, reject) => {
    const cancel = () => socket.destroy()
    signal.addEventListener('abort', cancel)
    if (signal.aborted) cancel()
    // Kept for the socket's life: an error that nobody listens to would end the process.
    socket.on('error', reject)
    socket.once('close', () => reject(new Error('The socket was closed.')))
    socket.once('secureConnect', () => {
      signal.removeEventListener('abort', cancel)
      resolve(socket)
    })
  })
}
