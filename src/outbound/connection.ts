import type { TLSSocket } from 'node:tls'
import { Client } from 'undici'
import type { Carrier, Exchange } from './exchange.ts'

/** Where a connection belongs. */
export interface ConnectionHome {
  readonly origin: { readonly href: string }
  openSocket(signal: AbortSignal): Promise<TLSSocket>
  onFree(connection: Connection): void
  onClose(connection: Connection): void
}

/** One keep-alive connection, and the exchange that has it for now. */
export class Connection implements Carrier {
  readonly #home: ConnectionHome
  readonly #client: Client
  #socket: TLSSocket | null = null
  #connecting: AbortController | null = null
  #exchange: Exchange | null = null
  #openedAt = 0
  #answered = 0
  #closed = false

  constructor(home: ConnectionHome, maxHeaderBytes: number) {
    this.#home = home
    this.#client = new Client(home.origin.href, {
      connect: (_options, callback) => {
        this.#open().then(
          (socket) => callback(null, socket),
          (error: Error) => callback(error, null),
        )
      },
      allowH2: false,
      pipelining: 1,
      maxHeaderSize: maxHeaderBytes,
      keepAliveTimeout: KEEP_IDLE_MS,
      keepAliveMaxTimeout: MOST_KEEP_IDLE_MS,
      // Undici's clocks start anew with every byte; the exchange keeps its own.
      headersTimeout: 0,
      bodyTimeout: 0,
      useMilo: false,
    })
    this.#client.on('disconnect', () => {
      if (this.#exchange === null) this.close()
    })
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
    this.#client.dispatch(exchange.request, exchange)
  }

  /** The exchange ended well, so another may have the connection unless it has become old. */
  release(): void {
    this.#exchange = null
    this.#answered += 1
    if (performance.now() - this.#openedAt > MOST_AGE_MS) this.close()
    else this.#home.onFree(this)
  }

  close(): void {
    if (this.#closed) return
    this.#closed = true
    this.#exchange = null
    this.#connecting?.abort()
    this.#socket?.destroy()
    this.#client.destroy(() => {})
    this.#home.onClose(this)
  }

  /** Undici calls it again when it finds an idle connection closed before it wrote to it. */
  async #open(): Promise<TLSSocket> {
    this.#answered = 0
    this.#exchange?.onConnecting()
    this.#connecting = new AbortController()
    const socket = await this.#home.openSocket(this.#connecting.signal)
    this.#connecting = null
    this.#socket = socket
    this.#openedAt = performance.now()
    if (socket.destroyed) throw Object.assign(new Error('closed'), { code: 'ECONNRESET' })
    // A TLS alert leaves the socket open, and its end would be told in place of the alert.
    socket.once('error', (error) => socket.destroy(error))
    this.#meter(socket)
    return socket
  }

  /** Lets the exchange see what arrives before undici does: its bounds are on bytes, and undici reads heads without end. */
  #meter(socket: TLSSocket): void {
    const read = socket.read
    socket.read = (size) => {
      const chunk: Buffer | null = read.call(socket, size)
      if (chunk === null || this.#exchange === null) return chunk
      return this.#exchange.admit(chunk) ? chunk : null
    }
  }
}

/** Less than the usual idle timeouts of servers that do not tell theirs. */
const KEEP_IDLE_MS = 10_000
const MOST_KEEP_IDLE_MS = 60_000

/** Then a new connection is made, so that changes in the DNS are noticed under steady traffic. */
const MOST_AGE_MS = 300_000
