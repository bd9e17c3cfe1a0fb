import { createRangeCheck, isAddress } from '../outbound/address-range.ts'

/**
 * Finds the client address of a request: the peer of the connection or, if the peer is a trusted proxy, the last address
 * in `X-Forwarded-For` that is not one. Clients can forge the addresses to the left of it.
 */
export function createClientAddress(
  trustedProxies: readonly string[],
): (peer: string, forwardedFor: string | null) => string {
  const isTrusted = createRangeCheck(trustedProxies)
  return (peer, forwardedFor) => {
    let client = plainAddress(peer)
    const hops = forwardedFor?.split(',') ?? []
    while (hops.length > 0 && isTrusted(client)) {
      const hop = plainAddress((hops.pop() as string).trim())
      // The proxy gave no usable address, so the proxy itself is the last known hop.
      if (!isAddress(hop)) break
      client = hop
    }
    return client
  }
}

/** Removes brackets, port, zone and the IPv4 mapping: `[2001:db8::1]:443`, `192.0.2.1:80`, `::ffff:192.0.2.1`. */
export function plainAddress(text: string): string {
  const [, bracketed] = /^\[([^\]]*)\](?::\d+)?$/.exec(text) ?? []
  const [, beforePort] = /^([\d.]+):\d+$/.exec(text) ?? []
  const address = (bracketed ?? beforePort ?? text).split('%')[0] as string
  return address.replace(/^::ffff:(?=[\d.]+$)/i, '')
}
