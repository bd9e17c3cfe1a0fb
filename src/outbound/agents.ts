import { Agent, type buildConnector } from 'undici'

interface AgentsOptions {
  readonly connect: buildConnector.connector
  readonly connectionsPerOrigin: number
  readonly maxHeaderBytes: number
  /** The keep-alive agent opened (`1`) or closed (`-1`) a connection to `origin`. */
  readonly onConnectionCount: (origin: string, change: 1 | -1) => void
}

/** The undici agents of one organization. */
export class Agents {
  readonly #options: AgentsOptions
  readonly keepAlive: Agent
  #singleUse: Agent | null = null

  constructor(options: AgentsOptions) {
    this.#options = options
    this.keepAlive = this.#open()
    this.keepAlive.on('connect', ({ origin }) => options.onConnectionCount(origin, 1))
    this.keepAlive.on('disconnect', ({ origin }) => options.onConnectionCount(origin, -1))
  }

  /** For requests with `reset`, each on a new connection: a reused one may be stale or still receive stray bytes. */
  get singleUse(): Agent {
    this.#singleUse ??= this.#open()
    return this.#singleUse
  }

  async close(): Promise<void> {
    await Promise.all([this.keepAlive.destroy(), this.#singleUse?.destroy()])
  }

  #open(): Agent {
    const { connect, connectionsPerOrigin, maxHeaderBytes } = this.#options
    return new Agent({
      connect,
      allowH2: false,
      connections: connectionsPerOrigin,
      keepAliveTimeout: KEEP_ALIVE_MS,
      keepAliveMaxTimeout: KEEP_ALIVE_MS,
      keepAliveTimeoutThreshold: KEEP_ALIVE_MARGIN_MS,
      clientTtl: MAX_AGE_MS,
      maxHeaderSize: maxHeaderBytes,
      headersTimeout: 0,
      bodyTimeout: 0,
    })
  }
}

/** Shorter than the usual idle timeout of servers that do not send a `Keep-Alive` header. */
const KEEP_ALIVE_MS = 10_000
/** Subtracted from the idle timeout in a server's `Keep-Alive` header. */
const KEEP_ALIVE_MARGIN_MS = 2_000
/** Connections are renewed after this time, so that DNS changes take effect under steady traffic. */
const MAX_AGE_MS = 300_000
