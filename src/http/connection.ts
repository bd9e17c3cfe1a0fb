import type { HttpBindings } from '@hono/node-server'
import type { Context } from 'hono'

/** The connection of a request. */
export interface Connection {
  /** Where it comes from; there is none where the routes are called without a server. */
  readonly address: string | undefined
  cut(): void
}

export function connectionOf({ env }: Context): Connection {
  const { incoming, outgoing } = (env ?? {}) as Partial<HttpBindings>
  return { address: incoming?.socket.remoteAddress, cut: () => void outgoing?.destroy() }
}
