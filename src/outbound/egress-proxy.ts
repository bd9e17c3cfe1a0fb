import type { LookupAddress } from 'node:dns'
import { isIPv6, type Socket } from 'node:net'
import type { SecureContext } from 'node:tls'
import { Client } from 'undici'
import { ConnectionFailure } from './failure.ts'

/** Opens a tunnel to the first of `addresses` that the proxy can connect to. */
export type OpenTunnel = (
  addresses: readonly LookupAddress[],
  port: number,
  signal: AbortSignal,
) => Promise<Socket>

/**
 * Opens tunnels through a forward proxy with CONNECT (RFC 9110, section 9.3.6). CONNECT names the checked address, not
 * the host name: the proxy would resolve the name again and could get an address that was not checked.
 */
export function createEgressProxy(url: string, secureContext: SecureContext): OpenTunnel {
  const { origin, username, password } = new URL(url)
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  const authorization =
    username === '' ? null : `Basic ${Buffer.from(credentials).toString('base64')}`

  /** `null` if the proxy rejects the request. */
  async function requestTunnel(authority: string, signal: AbortSignal): Promise<Socket | null> {
    const client = new Client(origin, {
      connect: { secureContext, rejectUnauthorized: true, timeout: CONNECT_TIMEOUT_MS },
      allowH2: false,
      headersTimeout: 0,
    })
    const abort = () => void client.destroy()
    signal.addEventListener('abort', abort)
    try {
      const { statusCode, socket } = await client.connect({
        path: authority,
        headers: {
          host: authority,
          ...(authorization !== null && { 'proxy-authorization': authorization }),
        },
      })
      socket.on('error', () => {})
      if (statusCode === 200) return socket as Socket
      socket.destroy()
      return null
    } catch {
      throw new ConnectionFailure('proxy_failed')
    } finally {
      signal.removeEventListener('abort', abort)
      // This does not close the tunnel: after CONNECT the socket no longer belongs to the client.
      void client.destroy()
    }
  }

  return async (addresses, port, signal) => {
    // IPv4 first: fewer proxies support IPv6.
    const inOrder = addresses.toSorted((a, b) => a.family - b.family)
    for (const { address } of inOrder.slice(0, MAX_ADDRESSES_TRIED)) {
      if (signal.aborted) break
      const host = isIPv6(address) ? `[${address}]` : address
      const socket = await requestTunnel(`${host}:${port}`, signal)
      if (socket !== null) return socket
    }
    throw new ConnectionFailure('proxy_failed')
  }
}

const MAX_ADDRESSES_TRIED = 4

/** A rough limit for connecting to the proxy only; `signal` limits the whole tunnel. */
const CONNECT_TIMEOUT_MS = 5_000
