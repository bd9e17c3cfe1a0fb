import { setTimeout as sleep } from 'node:timers/promises'
import { lowest } from './notify.ts'

/** Why the server ends a stream or does not start it. */
export type EndReason =
  | 'missed too much'
  | 'revoked'
  | 'expired'
  | 'signed out'
  | 'shutting down'
  | 'too many'

/** A read that fails is repeated after this time. */
const RETRY_MS = 1_000

export interface NewsOptions {
  /** One read for all clients that ask for the same at the same time. */
  readonly share: <Result>(key: unknown, read: () => Promise<Result>) => Promise<Result>
  readonly onReadError: (error: unknown) => void
  /** Called once. `reason` is null if the client left. */
  readonly onEnd: (reason: EndReason | null) => void
  readonly toError: (reason: EndReason) => Error
}

/** What one client waits for: its organization has something new, which the client reads from the tables. */
export class News {
  readonly #options: NewsOptions
  #isNew = false
  #since: string | undefined
  #isEnded = false
  #error: Error | null = null
  #wake = () => {}
  /** The time of the database. The client is notified of all that commits later. */
  openedAt = new Date(0)
  /** Whether the client knows of the end, or has left. */
  finished = false

  constructor(options: NewsOptions) {
    this.#options = options
  }

  /** `since`: the lowest UUIDv7 of what is new. Default: none, as for states. */
  notify(since?: string): void {
    this.#since = lowest(this.#since, since)
    this.#isNew = true
    this.#wake()
  }

  /** The lowest `since` of the notifications after the last call. */
  takeSince(): string | undefined {
    const since = this.#since
    this.#since = undefined
    return since
  }

  /** Resolves at the first notification after the last call, or after `maxMs`. False once the client has left. Throws the error of the end. */
  async next(maxMs = Number.POSITIVE_INFINITY): Promise<boolean> {
    if (!this.#isNew && !this.#isEnded) {
      const isBounded = Number.isFinite(maxMs)
      const timer = isBounded ? setTimeout(() => this.#wake(), maxMs) : undefined
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
      clearTimeout(timer)
    }
    this.#isNew = false
    this.throwIfEnded()
    return !this.#isEnded
  }

  /** Reads together with others. */
  share<Result>(key: unknown, run: () => Promise<Result>): Promise<Result> {
    return this.#options.share(key, run)
  }

  /** The same, and again while Postgres cannot be reached. */
  async read<Result>(key: unknown, run: () => Promise<Result>): Promise<Result> {
    for (;;) {
      try {
        return await this.share(key, run)
      } catch (error) {
        if (this.#isEnded) throw error
        this.#options.onReadError(error)
      }
      await sleep(RETRY_MS)
      this.throwIfEnded()
    }
  }

  /** A stream of what `items` yields, as the client reads. */
  stream<Item>(items: AsyncGenerator<Item, void>): AsyncIterableIterator<Item, void> {
    const stream = {
      next: async () => {
        this.throwIfEnded()
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

  throwIfEnded(): void {
    if (this.#error === null) return
    this.finished = true
    throw this.#error
  }

  /** The client's next read rejects with the error of the reason. */
  end(reason: EndReason): void {
    if (this.#isEnded) return
    this.#error = this.#options.toError(reason)
    this.#end(reason)
  }

  /** The client has left. */
  close(): void {
    this.finished = true
    this.#error = null
    if (!this.#isEnded) this.#end(null)
  }

  #end(reason: EndReason | null): void {
    this.#isEnded = true
    this.#wake()
    this.#options.onEnd(reason)
  }
}
