import type { LookupAddress } from 'node:dns'
import http from 'node:http'
import https from 'node:https'
import { isIPv6, type Socket } from 'node:net'
import type { SecureContext } from 'node:tls'
import { unbracketed } from './destination-url.ts'
import { ConnectionFailure } from './failure.ts'

/** A forward proxy that makes tunnels with CONNECT (RFC 9110, section 9.3.6). */
export interface Proxy {
  readonly url: URL
  readonly authorization: string | null
  readonly secureContext: SecureContext
}

export function parseProxyUrl(text: string, secureContext: SecureContext): Proxy {
  const url = new URL(text)
  const credentials = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`
  return {
    url,
    authorization:
      url.username === '' ? null : `Basic ${Buffer.from(credentials).toString('base64')}`,
    secureContext,
  }
}

/** A tunnel to the first of `addresses` that the proxy reaches, IPv4 first since fewer proxies have IPv6. */
export async function openTunnel(
  proxy: Proxy,
  addresses: readonly LookupAddress[],
  port: number,
  signal: AbortSignal,
): Promise<Socket> {
  const inOrder = addresses.toSorted((a, b) => a.family - b.family)
  for (const { address } of inOrder.slice(0, MOST_ADDRESSES_TRIED)) {
    const socket = await requestTunnel(proxy, address, port, signal)
    if (socket !== null) return socket
  }
  throw new ConnectionFailure('proxy_failed')
}

const MOST_ADDRESSES_TRIED = 4

/** Resolves with `null` when the proxy says no, and rejects when there is no talking to it. */
function requestTunnel(
  { url, authorization, secureContext }: Proxy,
  address: string,
  port: number,
  signal: AbortSignal,
): Promise<Socket | null> {
  const authority = `${isIPv6(address) ? `[${address}]` : address}:${port}`
  return new Promise((resolve, reject) => {
    const secure = url.protocol === 'https:'
    const options: https.RequestOptions & { secureContext: SecureContext } = {
      host: unbracketed(url.hostname),
      port: Number(url.port || (secure ? 443 : 80)),
      method: 'CONNECT',
      path: authority,
      headers: {
        host: authority,
        ...(authorization === null ? {} : { 'proxy-authorization': authorization }),
      },
      agent: false,
      signal,
      secureContext,
      rejectUnauthorized: true,
    }
    const request = (secure ? https : http).request(options)
    request.once('connect', (response, socket: Socket) => {
      socket.on('error', () => {})
      const accepted = response.statusCode === 200
      if (!accepted) socket.destroy()
      resolve(accepted ? socket : null)
    })
    request.once('error', () => reject(new ConnectionFailure('proxy_failed')))
    request.end()
  })
}
