import type { LookupAddress } from 'node:dns'
import { isIPv6, type Socket } from 'node:net'
import type { SecureContext } from 'node:tls'
import { Client } from 'undici'
import { ConnectionFailure } from './failure.ts'

/** Opens a tunnel to the first of `addresses` that the proxy reaches. */
export type OpenTunnel = (
  addresses: readonly LookupAddress[],
  port: number,
  signal: AbortSignal,
) => Promise<Socket>

/**
 * A forward proxy that makes tunnels with CONNECT (RFC 9110, section 9.3.6). It is asked for a checked address, not for
 * the name: it would resolve the name again, and could be led elsewhere than what was checked.
 */
export function createEgressProxy(url: string, secureContext: SecureContext): OpenTunnel {
  const { origin, username, password } = new URL(url)
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  const authorization =
    username === '' ? null : `Basic ${Buffer.from(credentials).toString('base64')}`

  /** `null`: the proxy says no. */
  async function requestTunnel(authority: string, signal: AbortSignal): Promise<Socket | null> {
    const client = new Client(origin, {
      connect: { secureContext, rejectUnauthorized: true, timeout: CONNECT_TIMEOUT_MS },
      allowH2: false,
      headersTimeout: 0,
    })
    const giveUp = () => void client.destroy()
    signal.addEventListener('abort', giveUp)
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
      signal.removeEventListener('abort', giveUp)
      // The tunnel is no longer the client's.
      void client.destroy()
    }
  }

  return async (addresses, port, signal) => {
    // IPv4 first, since fewer proxies have IPv6.
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

/** Bounds the connection to the proxy alone, and roughly; the whole is bounded by `signal`. */
const CONNECT_TIMEOUT_MS = 5_000
