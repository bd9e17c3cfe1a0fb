import { setTimeout as sleep } from 'node:timers/promises'

/** Why the server ends a stream or does not start it. */
export type EndReason =
  | 'missed too much'
  | 'events are gone'
  | 'revoked'
  | 'expired'
  | 'signed out'
  | 'shutting down'
  | 'too many'

/** A read that fails is repeated after this time. */
const RETRY_MS = 1_000

export interface NewsOptions {
  /** One read for all clients that ask for the same at the same time. */
  readonly share: <Result>(key: string, read: () => Promise<Result>) => Promise<Result>
  readonly onReadError: (error: unknown) => void
  /** Called once. */
  readonly onEnd: () => void
}

/** What one client waits for: its organization has something new, which the client reads from the tables. */
export class News {
  readonly #options: NewsOptions
  #isNew = false
  #isEnded = false
  #error: Error | null = null
  #wake = () => {}

  constructor(options: NewsOptions) {
    this.#options = options
  }

  notify(): void {
    this.#isNew = true
    this.#wake()
  }

  /** Resolves at the first notification after the last call, or after `maxMs`. False once the client has left. Throws the error of the end. */
  async next(maxMs?: number): Promise<boolean> {
    if (!this.#isNew && !this.#isEnded) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve
        if (maxMs !== undefined) setTimeout(resolve, maxMs).unref()
      })
    }
    this.#isNew = false
    this.#throwIfEnded()
    return !this.#isEnded
  }

  /** Reads together with others, and again while Postgres cannot be reached. */
  async read<Result>(key: string, run: () => Promise<Result>): Promise<Result> {
    for (;;) {
      try {
        return await this.#options.share(key, run)
      } catch (error) {
        if (this.#isEnded) throw error
        this.#options.onReadError(error)
      }
      await sleep(RETRY_MS)
      this.#throwIfEnded()
    }
  }

  /** A stream of what `items` yields, as the client reads. */
  stream<Item>(items: AsyncGenerator<Item, void>): AsyncIterableIterator<Item, void> {
    const stream = {
      next: async () => {
        this.#throwIfEnded()
        return await items.next()
      },
      // A generator that waits for news ends only with the next ones.
      return: async () => {
        this.close()
        return await items.return()
      },
      [Symbol.asyncIterator]: () => stream,
    }
    return stream
  }

  #throwIfEnded(): void {
    if (this.#error) throw this.#error
  }

  /** The client's next read rejects with this error. If it reads nothing, the server closes its inactive connection. */
  end(error: Error): void {
    if (!this.#isEnded) this.#error = error
    this.#end()
  }

  /** The client has left. */
  close(): void {
    this.#error = null
    this.#end()
  }

  #end(): void {
    if (this.#isEnded) return
    this.#isEnded = true
    this.#wake()
    this.#options.onEnd()
  }
}
