import type { TLSSocket } from 'node:tls'
import type { Carrier, Exchange } from './exchange.ts'

/** Where a connection belongs. */
export interface ConnectionHome {
  openSocket(signal: AbortSignal, receive: (bytes: Buffer) => void): Promise<TLSSocket>
  onFree(connection: Connection): void
  onClose(connection: Connection): void
}

/** One keep-alive connection, and the exchange that has it for now. */
export class Connection implements Carrier {
  readonly #home: ConnectionHome
  #socket: TLSSocket | null = null
  #exchange: Exchange | null = null
  readonly #connecting = new AbortController()
  /** What arrived before the request was sent. It waits, so that nothing counts as delivered that never went out. */
  #early: Buffer[] | null = []
  #openedAt = 0
  #answered = 0
  #closed = false
  #idleMs = 0
  #idleTimer: NodeJS.Timeout | undefined

  constructor(home: ConnectionHome) {
    this.#home = home
  }

  /** Whether it has answered before, so that the receiver may be closing it unseen. */
  get isReused(): boolean {
    return this.#answered > 0
  }

  get isUsable(): boolean {
    return this.#socket !== null && !this.#socket.destroyed && !this.#closed
  }

  carry(exchange: Exchange): void {
    this.#exchange = exchange
    exchange.onCarried(this)
    if (this.#socket === null) this.#open(exchange)
    else this.#send(this.#socket, exchange)
  }

  /** The exchange ended well, so another may have the connection unless it has become old. */
  release(keepIdleMs: number): void {
    this.#exchange = null
    this.#answered += 1
    // Answered before all of the request was taken: the rest of it would go before the next one.
    const isBehind = this.#socket?.writableLength !== 0
    const isOld = performance.now() - this.#openedAt > MOST_AGE_MS
    if (isBehind || isOld || keepIdleMs === 0) {
      this.close()
    } else {
      this.#rest(keepIdleMs)
      this.#home.onFree(this)
    }
  }

  close(): void {
    if (this.#closed) return
    this.#closed = true
    this.#exchange = null
    clearTimeout(this.#idleTimer)
    this.#connecting.abort()
    this.#socket?.destroy()
    this.#home.onClose(this)
  }

  #open(exchange: Exchange): void {
    exchange.onConnecting()
    this.#home.openSocket(this.#connecting.signal, this.#receive).then(
      (socket) => this.#onOpen(socket),
      (error: Error) => this.#onBroken(error),
    )
  }

  #onOpen(socket: TLSSocket): void {
    if (this.#exchange === null) {
      socket.destroy()
      return
    }
    this.#socket = socket
    this.#openedAt = performance.now()
    socket.on('error', (error) => this.#onBroken(error))
    socket.once('end', () => this.#onEnd())
    socket.once('close', () => this.#onEnd())
    if (socket.destroyed || socket.readableEnded) this.#onEnd()
    else this.#send(socket, this.#exchange)
  }

  #send(socket: TLSSocket, exchange: Exchange): void {
    socket.write(exchange.request)
    exchange.onRequestSent()
    const early = this.#early
    this.#early = null
    for (const bytes of early ?? []) this.#receive(bytes)
  }

  readonly #receive = (bytes: Buffer): void => {
    if (this.#early !== null) this.#early.push(Buffer.from(bytes))
    else if (this.#exchange !== null) this.#exchange.onBytes(bytes)
    else this.close()
  }

  #onEnd(): void {
    if (this.#exchange === null) this.close()
    else this.#exchange.onClosed()
  }

  #onBroken(error: Error): void {
    if (this.#exchange === null) this.close()
    else this.#exchange.onBroken(error)
  }

  #rest(idleMs: number): void {
    if (idleMs === this.#idleMs) {
      this.#idleTimer?.refresh()
      return
    }
    this.#idleMs = idleMs
    clearTimeout(this.#idleTimer)
    this.#idleTimer = setTimeout(() => {
      if (this.#exchange === null) this.close()
    }, idleMs).unref()
  }
}

/** Then a new connection is made, so that changes in the DNS are noticed under steady traffic. */
const MOST_AGE_MS = 300_000
