import { randomUUID } from 'node:crypto'
import type { HttpBindings } from '@hono/node-server'
import type { Context, MiddlewareHandler } from 'hono'
import { createRangeCheck, isAddress } from '../outbound/public-address.ts'

/** The connection of a request. */
export interface Connection {
  /** The client's address; undefined if the routes are called without a server. */
  readonly address: string | undefined
  /** Destroys the connection. */
  cut(): void
  /** The request among those in flight, if they are limited. */
  readonly inFlight: InFlight | undefined
}

/** The place of one request among those in flight: with its body until the response is made, then until the client has read it. */
export interface InFlight {
  /** Counts the request for its owner. Throws if there is no room. */
  admit(owner: string): void
  /** Changes the size of a part. Throws `rate_limited` or `unavailable` if there is no room. */
  resize(part: 'body' | 'response', bytes: number): void
  /** Waits, with an operation that is large, while another one of the same owner runs. */
  takeTurn(bytes: number): Promise<void>
}

const CLIENT_ADDRESS = 'clientAddress'
const IN_FLIGHT = 'inFlight'

/** Makes `connectionOf` return the client's address behind these proxies, given as CIDR ranges. */
export function trustProxies(trustedProxies: readonly string[]): MiddlewareHandler {
  const clientAddress = createClientAddress(trustedProxies)
  return (context, next) => {
    const peer = peerOf(context)
    if (peer !== undefined) {
      context.set(
        CLIENT_ADDRESS,
        clientAddress(peer, context.req.header('x-forwarded-for') ?? null),
      )
    }
    return next()
  }
}

export function connectionOf(context: Context): Connection {
  const { outgoing } = (context.env ?? {}) as Partial<HttpBindings>
  return {
    address: context.get(CLIENT_ADDRESS) ?? peerOf(context),
    cut: () => void outgoing?.destroy(),
    inFlight: context.get(IN_FLIGHT),
  }
}

export function setInFlight(context: Context, inFlight: InFlight): void {
  context.set(IN_FLIGHT, inFlight)
}

function peerOf({ env }: Context): string | undefined {
  return ((env ?? {}) as Partial<HttpBindings>).incoming?.socket.remoteAddress
}

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

/** Identifies a request in its response and in the log. */
export const REQUEST_ID_HEADER = 'x-request-id'

/** 1 to 128 visible ASCII characters. Node joins repeated headers with a comma and a space, so they do not match. */
const REQUEST_ID = /^[\x21-\x7e]{1,128}$/

/** The value of the client's header if it is 1 to 128 visible ASCII characters without spaces, otherwise a new id. */
export function requestIdOf(header: string | string[] | undefined): string {
  return typeof header === 'string' && REQUEST_ID.test(header) ? header : randomUUID()
}
