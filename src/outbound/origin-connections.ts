import type { TLSSocket } from 'node:tls'
import { Connection } from './connection.ts'
import type { Origin } from './destination.ts'
import type { Exchange } from './exchange.ts'
import { LastHead } from './last-head.ts'
import type { OpenSecureSocket } from './secure-socket.ts'

export interface ConnectionOptions {
  readonly openSocket: OpenSecureSocket
  readonly connectionsPerOrigin: number
}

interface RestingPlace {
  onRest(connection: Connection): void
  onRestEnd(connection: Connection): void
}

/** One session follows from another, so that under steady traffic a certificate that has expired would stay unnoticed. */
const VERIFY_EVERY_MS = 3_600_000

/** The keep-alive connections to one origin, each used by one exchange at a time. */
export class OriginConnections {
  readonly origin: Origin
  readonly lastHead = new LastHead()
  readonly #options: ConnectionOptions
  readonly #restingPlace: RestingPlace
  /** Used from the end, so that connections beyond the need grow old and go. */
  readonly #resting: Connection[] = []
  readonly #waiting: Exchange[] = []
  #open = 0
  #tlsSession: Buffer | null = null
  /** When a connection last began without one. */
  #verifiedAt = 0

  constructor(origin: Origin, options: ConnectionOptions, restingPlace: RestingPlace) {
    this.origin = origin
    this.#options = options
    this.#restingPlace = restingPlace
  }

  get isQuiet(): boolean {
    return this.#open === 0 && this.#waiting.length === 0
  }

  /** Carries the exchange on a connection at rest or a new one, else as soon as one is free. */
  carry(exchange: Exchange): void {
    const connection = this.#takeResting()
    if (connection) connection.carry(exchange)
    else if (this.#open < this.#options.connectionsPerOrigin) this.carryOnNewConnection(exchange)
    else this.#waiting.push(exchange)
  }

  carryOnNewConnection(exchange: Exchange): void {
    this.#open += 1
    new Connection(this).carry(exchange)
  }

  /** Takes back an exchange that waits for a connection. */
  withdraw(exchange: Exchange): void {
    const index = this.#waiting.indexOf(exchange)
    if (index !== -1) this.#waiting.splice(index, 1)
  }

  /** Called by a connection that has become free. */
  onFree(connection: Connection): void {
    this.#resting.push(connection)
    this.#restingPlace.onRest(connection)
    this.#carryWaiting()
  }

  /** Called by a connection that is no more. */
  onClose(connection: Connection): void {
    this.#open -= 1
    const index = this.#resting.indexOf(connection)
    if (index !== -1) this.#resting.splice(index, 1)
    this.#restingPlace.onRestEnd(connection)
    this.#carryWaiting()
  }

  /**
   * A session is remembered only from a verified connection: a resumed one is not verified again. Connections that begin
   * together resume the same one; it is forgotten where that does not succeed.
   */
  async openSocket(signal: AbortSignal, receive: (bytes: Buffer) => void): Promise<TLSSocket> {
    if (performance.now() - this.#verifiedAt > VERIFY_EVERY_MS) this.#tlsSession = null
    const session = this.#tlsSession
    let resumed = false
    try {
      const socket = await this.#options.openSocket({
        origin: this.origin,
        session,
        signal,
        receive,
      })
      resumed = socket.isSessionReused()
      if (!resumed) this.#verifiedAt = performance.now()
      socket.on('session', (newer: Buffer) => {
        this.#tlsSession = newer
      })
      return socket
    } finally {
      if (!resumed && this.#tlsSession === session) this.#tlsSession = null
    }
  }

  #takeResting(): Connection | undefined {
    for (;;) {
      const connection = this.#resting.pop()
      if (connection === undefined) return undefined
      this.#restingPlace.onRestEnd(connection)
      if (connection.isUsable) return connection
      connection.close()
    }
  }

  /** Not at once: the exchange that ended is to settle before another has its connection. */
  #carryWaiting(): void {
    if (this.#waiting.length === 0) return
    queueMicrotask(() => {
      const hasRoom = this.#resting.length > 0 || this.#open < this.#options.connectionsPerOrigin
      const next = hasRoom ? this.#waiting.shift() : undefined
      if (next) this.carry(next)
    })
  }
}
