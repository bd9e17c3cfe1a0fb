import type { IncomingMessage, ServerResponse } from 'node:http'
import type { HttpBindings } from '@hono/node-server'
import type { Context, MiddlewareHandler } from 'hono'
import type { Config } from '../config/config.ts'
import { heapShare } from '../config/settings.ts'
import { FairQueue } from '../db/fair-queue.ts'
import { DomainError, rateLimited } from '../lib/errors.ts'
import { createRangeCheck, isAddress } from '../outbound/public-address.ts'
import { describeRequest } from '../telemetry/request-log.ts'

export type HttpRequest = Request | IncomingMessage

/** Answers a request without the objects of fetch, which cost several times what the answer does. */
export type DirectHandler = (incoming: IncomingMessage, outgoing: ServerResponse) => Promise<void>

/** A header of a request, with repeated ones joined. */
export function headerOf({ headers }: HttpRequest, name: string): string | null {
  if (headers instanceof Headers) return headers.get(name)
  return (headers[name] as string | undefined) ?? null
}

/** The connection of a request. */
export interface Connection {
  /** The client's address; undefined if the routes are called without a server. */
  readonly address: string | undefined
  readonly headers: Headers
  /** Destroys the connection. */
  cut(): void
  /** The request among those in flight, if they are limited. */
  readonly inFlight: InFlight | undefined
}

const CLIENT_ADDRESS = 'clientAddress'
const IN_FLIGHT = 'inFlight'

/** What the connections of a process share: the proxies they come through, and the bytes in flight. */
export interface Entrance {
  readonly clientAddress: ReturnType<typeof createClientAddress>
  openPlace(): InFlight
}

export function createEntrance(config: Pick<Config, 'maxHeapMb' | 'trustedProxies'>): Entrance {
  const all = new Bytes(bytesInFlight(config))
  const large = new FairQueue(LARGE_AT_A_TIME)
  return {
    clientAddress: createClientAddress(config.trustedProxies),
    openPlace: () => new InFlight(all, large),
  }
}

/** Makes `connectionOf` return the client's address, and the place of the request. */
export function enter({ clientAddress, openPlace }: Entrance): MiddlewareHandler {
  return async (context, next) => {
    const peer = peerOf(context)
    const forwardedFor = context.req.raw.headers.get('x-forwarded-for')
    if (peer !== undefined) context.set(CLIENT_ADDRESS, clientAddress(peer, forwardedFor))
    const place = openPlace()
    context.set(IN_FLIGHT, place)
    try {
      await next()
    } finally {
      place.answer(((context.env ?? {}) as Partial<HttpBindings>).outgoing)
    }
  }
}

export function connectionOf(context: Context): Connection {
  const { outgoing } = (context.env ?? {}) as Partial<HttpBindings>
  return {
    address: context.get(CLIENT_ADDRESS) ?? peerOf(context),
    headers: context.req.raw.headers,
    cut: () => void outgoing?.destroy(),
    inFlight: context.get(IN_FLIGHT),
  }
}

function peerOf({ env }: Context): string | undefined {
  return ((env ?? {}) as Partial<HttpBindings>).incoming?.socket.remoteAddress
}

/**
 * Finds the client address of a request behind these proxies, given as CIDR ranges: the peer of the connection or, if the
 * peer is a trusted proxy, the last address in `X-Forwarded-For` that is not one. Clients can forge the addresses to the left
 * of it.
 */
export function createClientAddress(trustedProxies: readonly string[]) {
  const isTrusted = createRangeCheck(trustedProxies)
  return (peer: string, forwardedFor: string | null): string => {
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
  if (/^[\d.]+$/.test(text)) return text
  const [, bracketed] = /^\[([^\]]*)\](?::\d+)?$/.exec(text) ?? []
  const [, beforePort] = /^([\d.]+):\d+$/.exec(text) ?? []
  const address = (bracketed ?? beforePort ?? text).split('%')[0] as string
  return address.replace(/^::ffff:(?=[\d.]+$)/i, '')
}

/** The size of all requests of callers in flight: their bodies, their responses, and at least 16 KiB for each. */
export const bytesInFlight = (config: Pick<Config, 'maxHeapMb'>) => heapShare(config, 1 / 4)

const LEAST_BYTES = 16 * 1024

/** Operations of this size, by their body or by the estimate of their response, wait for their turn. */
export const LARGE_BYTES = 512 * 1024

/** One of each organization. They can take several times their size in memory. */
const LARGE_AT_A_TIME = 3

/** The place of one request among those in flight: with its body until the response is made, then until the client has read it. */
export class InFlight {
  readonly #all: Bytes
  readonly #large: FairQueue
  readonly #parts = { body: 0, response: 0 }
  #owner: string | null = null
  #bytesHeld = 0
  #turn: string | null = null

  constructor(all: Bytes, large: FairQueue) {
    this.#all = all
    this.#large = large
  }

  /** Counts the request for its owner. Throws if there is no room. */
  admit(owner: string): void {
    if (this.#owner !== null) return
    this.#all.add(owner, LEAST_BYTES)
    this.#owner = owner
    this.#bytesHeld = LEAST_BYTES
  }

  /** Changes the size of a part. Throws `rate_limited` or `unavailable` if there is no room. */
  resize(part: 'body' | 'response', bytes: number): void {
    const more = bytes - this.#parts[part]
    if (this.#owner !== null) this.#all.add(this.#owner, more)
    this.#parts[part] += more
    this.#bytesHeld += more
  }

  /** Waits, with an operation that is large, while another one of the same owner runs. */
  async takeTurn(bytes: number): Promise<void> {
    if (this.#owner === null || this.#turn !== null || bytes < LARGE_BYTES) return
    this.#turn = this.#owner
    await this.#large.acquire(this.#turn)
  }

  /** The response is made. Without a server, it is nowhere. */
  answer(outgoing: HttpBindings['outgoing'] | undefined): void {
    // Others are served between two of them.
    if (this.#turn !== null) setImmediate((owner) => this.#large.release(owner), this.#turn)
    if (!outgoing || outgoing.closed) this.#end()
    else if (this.#owner !== null) {
      outgoing.on('close', () => this.#end())
      if (outgoing.writableEnded) this.#keep(outgoing.writableLength)
      else setImmediate(() => outgoing.writableEnded && this.#keep(outgoing.writableLength))
    }
  }

  /** A stream keeps its place until it ends. Of any other response, only the bytes that are still here count. */
  #keep(bytes: number): void {
    if (this.#owner !== null) this.#all.force(this.#owner, bytes - this.#bytesHeld)
    this.#bytesHeld = bytes
  }

  #end(): void {
    this.#keep(0)
    // The handler of a stream may still be running.
    this.#owner = null
  }
}

/** Of the bytes that are free, an owner may use a third, so that there are always some left for the next one. */
class Bytes {
  #free: number
  readonly #ofOwner = new Map<string, number>()

  constructor(total: number) {
    this.#free = total
  }

  /** Throws `rate_limited` or `unavailable` if there is no room. */
  add(owner: string, bytes: number): void {
    const used = this.#ofOwner.get(owner) ?? 0
    const hasRoom = bytes <= 0 || (used + bytes) * 3 <= this.#free - bytes
    if (!hasRoom) throw used > 0 ? tooManyOfOwner() : tooMany()
    this.force(owner, bytes)
  }

  /** The same, even if there is no room. */
  force(owner: string, bytes: number): void {
    this.#free -= bytes
    const used = (this.#ofOwner.get(owner) ?? 0) + bytes
    if (used === 0) this.#ofOwner.delete(owner)
    else this.#ofOwner.set(owner, used)
  }
}

const RETRY_AFTER_SECONDS = 1

function tooManyOfOwner(): DomainError {
  describeRequest({ limit: 'in_flight_of_owner' })
  return rateLimited(
    'Your requests in progress and the responses that you have not read take too much memory. Nothing was done. Try again in a second, with fewer requests at a time.',
    RETRY_AFTER_SECONDS,
  )
}

function tooMany(): DomainError {
  describeRequest({ limit: 'in_flight' })
  return new DomainError(
    'unavailable',
    'Posthorn has too many large requests in progress. Nothing was done. Try again in a second.',
    { retryAfterSeconds: RETRY_AFTER_SECONDS },
  )
}
