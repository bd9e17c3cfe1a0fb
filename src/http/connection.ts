import type { HttpBindings } from '@hono/node-server'
import type { Context, MiddlewareHandler } from 'hono'
import { createClientAddress } from './client-address.ts'

/** The connection of a request. */
export interface Connection {
  /** The client's address; undefined if the routes are called without a server. */
  readonly address: string | undefined
  /** Destroys the connection. */
  cut(): void
}

const CLIENT_ADDRESS = 'clientAddress'

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
  }
}

function peerOf({ env }: Context): string | undefined {
  return ((env ?? {}) as Partial<HttpBindings>).incoming?.socket.remoteAddress
}
