import { Agent, type buildConnector } from 'undici'

interface AgentsOptions {
  readonly connect: buildConnector.connector
  readonly connectionsPerOrigin: number
  readonly maxHeaderBytes: number
  /** A connection to an origin that may be kept was opened or closed. */
  readonly onKept: (origin: string, change: 1 | -1) => void
}

/** The undici agents of one organization. */
export class Agents {
  readonly #options: AgentsOptions
  #keeping: Agent
  #openedAt = performance.now()
  #unkept: Agent | null = null

  constructor(options: AgentsOptions) {
    this.#options = options
    this.#keeping = this.#openKeeping()
  }

  /** Keeps connections. (undici's `clientTtl` would renew them, but asks the clock for each at every request.) */
  get keeping(): Agent {
    if (performance.now() - this.#openedAt > MAX_AGE_MS) {
      void this.#keeping.close()
      this.#keeping = this.#openKeeping()
      this.#openedAt = performance.now()
    }
    return this.#keeping
  }

  /** For requests with `reset`, which have a connection each: a kept one may be stale, or have bytes on their way. */
  get unkept(): Agent {
    this.#unkept ??= this.#open()
    return this.#unkept
  }

  async close(): Promise<void> {
    await Promise.all([this.#keeping.destroy(), this.#unkept?.destroy()])
  }

  #openKeeping(): Agent {
    const agent = this.#open()
    agent.on('connect', ({ origin }) => this.#options.onKept(origin, 1))
    agent.on('disconnect', ({ origin }) => this.#options.onKept(origin, -1))
    return agent
  }

  #open(): Agent {
    const { connect, connectionsPerOrigin, maxHeaderBytes } = this.#options
    return new Agent({
      connect,
      allowH2: false,
      connections: connectionsPerOrigin,
      keepAliveTimeout: KEEP_ALIVE_MS,
      keepAliveMaxTimeout: KEEP_ALIVE_MS,
      keepAliveTimeoutThreshold: ON_THE_WAY_MS,
      maxHeaderSize: maxHeaderBytes,
      headersTimeout: 0,
      bodyTimeout: 0,
    })
  }
}

/** Less than the usual idle timeouts of servers that do not say theirs. */
const KEEP_ALIVE_MS = 10_000
/** Taken off the idle timeout that a server does say. */
const ON_THE_WAY_MS = 2_000
/** Then new connections are made, so that changes in the DNS are noticed under steady traffic. */
const MAX_AGE_MS = 300_000
