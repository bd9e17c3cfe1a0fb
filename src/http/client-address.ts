import { createRangeCheck, isAddress } from '../outbound/address-range.ts'

/**
 * Finds the client of a request: the other end of the connection or, where that is a trusted proxy, the last address in
 * `X-Forwarded-For` that is none. What stands left of that address anybody could have written.
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
      // A proxy that does not say where a request comes from is all that is known of it.
      if (!isAddress(hop)) break
      client = hop
    }
    return client
  }
}

/** Without brackets, port and zone, and IPv4 as IPv4: `[2001:db8::1]:443`, `192.0.2.1:80` and `::ffff:192.0.2.1`. */
function plainAddress(text: string): string {
  const [, bracketed] = /^\[([^\]]*)\](?::\d+)?$/.exec(text) ?? []
  const [, beforePort] = /^([\d.]+):\d+$/.exec(text) ?? []
  const address = (bracketed ?? beforePort ?? text).split('%')[0] as string
  return address.replace(/^::ffff:(?=[\d.]+$)/i, '')
}
