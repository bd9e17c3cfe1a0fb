import type { Connection } from './connection.ts'
import type { Origin } from './destination.ts'
import { type ConnectionOptions, OriginConnections } from './origin-connections.ts'

/** The connections of all origins, and the bound on how many of them rest. */
export class ConnectionPool {
  readonly #options: ConnectionOptions
  readonly #origins = new Map<string, OriginConnections>()
  /** The one that has rested longest comes first. */
  readonly #resting = new Set<Connection>()

  constructor(options: ConnectionOptions) {
    this.#options = options
  }

  to(origin: Origin): OriginConnections {
    const known = this.#origins.get(origin.href)
    if (known) return known
    if (this.#origins.size >= MAX_ORIGINS) this.#forgetQuietOrigins()
    const connections = new OriginConnections(origin, this.#options, this)
    this.#origins.set(origin.href, connections)
    return connections
  }

  /** Called by `OriginConnections`. */
  onRest(connection: Connection): void {
    this.#resting.add(connection)
    if (this.#resting.size > MAX_RESTING) this.#resting.values().next().value?.close()
  }

  /** Called by `OriginConnections`. */
  onRestEnd(connection: Connection): void {
    this.#resting.delete(connection)
  }

  closeResting(): void {
    for (const connection of this.#resting) connection.close()
  }

  #forgetQuietOrigins(): void {
    for (const [href, connections] of this.#origins) {
      if (connections.isQuiet) this.#origins.delete(href)
    }
  }
}

const MAX_RESTING = 1_024

/** More than can be at work or rest at once, so that there are always quiet ones to forget. */
const MAX_ORIGINS = 16_384
