import type { LookupAddress } from 'node:dns'
import { isIPv6, type Socket } from 'node:net'
import type { SecureContext } from 'node:tls'
import { Client } from 'undici'
import { ConnectionFailure, codeOf } from './failure.ts'

/** Opens a tunnel to an address. */
export type OpenTunnel = (
  address: LookupAddress,
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

  /** Resolves with the status of the proxy's response if it opens no tunnel. */
  async function requestTunnel(authority: string, signal: AbortSignal): Promise<Socket | number> {
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
      if (statusCode >= 200 && statusCode < 300) return socket as Socket
      socket.destroy()
      return statusCode
    } catch (error) {
      const detail = codeOf(error as Error) || (error as Error).name
      throw new ConnectionFailure(
        'proxy_failed',
        `The egress proxy gave no valid answer to CONNECT (${detail}).`,
      )
    } finally {
      signal.removeEventListener('abort', abort)
      // This does not close the tunnel: after CONNECT the socket no longer belongs to the client.
      void client.destroy()
    }
  }

  return async ({ address }, port, signal) => {
    const host = isIPv6(address) ? `[${address}]` : address
    const tunnel = await requestTunnel(`${host}:${port}`, signal)
    if (typeof tunnel === 'number') throw noTunnel(tunnel)
    return tunnel
  }
}

/** A gateway's error is that of the endpoint; every other status, such as 403 or 407, is for the operator. */
function noTunnel(status: number): ConnectionFailure {
  const isOfEndpoint = [502, 503, 504].includes(status)
  return new ConnectionFailure(
    isOfEndpoint ? 'connection_failed' : 'proxy_failed',
    `The egress proxy ${isOfEndpoint ? 'could not reach the receiver' : 'opened no connection'}: it answered CONNECT with ${status}.`,
  )
}

/**
 * A rough limit for connecting to the proxy only; `signal` limits the whole tunnel. Shorter than the connect timeout,
 * so that a proxy that cannot be reached is not taken for a receiver that cannot.
 */
const CONNECT_TIMEOUT_MS = 3_000
