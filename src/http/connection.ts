import type { HttpBindings } from '@hono/node-server'
import type { Context, MiddlewareHandler } from 'hono'
import { createClientAddress } from './client-address.ts'

/** The connection of a request. */
export interface Connection {
  /** The client's address; undefined if the routes are called without a server. */
  readonly address: string | undefined
  /** Destroys the connection. */
  cut(): void
  /** The memory of the request, if it is counted. */
  readonly memory: RequestMemory | undefined
}

/** The memory of one request: of its body until the response is made, and of the response until the client has read it. */
export interface RequestMemory {
  /** Counts the request for its owner. Null: for its address, without a valid key. Throws if there is no room. */
  countFor(owner: string | null): void
  /** Changes the size of a part. Throws `rate_limited` or `unavailable` if there is no room. */
  resize(part: 'body' | 'response', bytes: number): void
  /** Waits while other operations of the same owner run that are large together. Only the first call waits. */
  waitToRun(responseBytes: number): Promise<void>
}

const CLIENT_ADDRESS = 'clientAddress'
const MEMORY = 'memory'

/** Makes `connectionOf` return the client's address behind these proxies, given as CIDR ranges. */
export function trustProxies(trustedProxies: readonly string[]): MiddlewareHandler {
  const clientAddress = createClientAddress(trustedProxies)
  return async (context, next) => {
    const peer = peerOf(context)
    if (peer !== undefined) {
      context.set(
        CLIENT_ADDRESS,
        clientAddress(peer, context.req.header('x-forwarded-for') ?? null),
      )
    }
    await next()
  }
}

export function connectionOf(context: Context): Connection {
  const { outgoing } = (context.env ?? {}) as Partial<HttpBindings>
  return {
    address: context.get(CLIENT_ADDRESS) ?? peerOf(context),
    cut: () => void outgoing?.destroy(),
    memory: context.get(MEMORY),
  }
}

export function setMemory(context: Context, memory: RequestMemory): void {
  context.set(MEMORY, memory)
}

function peerOf({ env }: Context): string | undefined {
  return ((env ?? {}) as Partial<HttpBindings>).incoming?.socket.remoteAddress
}
