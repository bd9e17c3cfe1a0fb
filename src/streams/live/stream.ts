import type { Feed, LiveItem, Pages } from './feed.ts'

/** Why the server ends a stream or does not start it. */
export type EndReason =
  | 'missed too much'
  | 'unavailable'
  | 'revoked'
  | 'expired'
  | 'signed out'
  | 'shutting down'
  | 'too many'

export interface StreamItem<Item extends LiveItem = LiveItem> {
  readonly item: Item
  /** The items that were read together, this one included, so that their rows can be loaded together. */
  readonly batch: readonly Item[]
}

/** The rows of a batch are in memory together. */
const MAX_BATCH = 200

export interface StreamOptions {
  readonly accepts: (item: LiveItem) => boolean
  /** Called once. `reason` is null if the client ended the stream. */
  readonly onEnd: (reason: EndReason | null) => void
  readonly toError: (reason: EndReason) => Error
}

/** The items of one stream: those that the client missed, then those of its feed. Each is read as the client reads. */
export class LiveStream implements AsyncIterableIterator<StreamItem> {
  readonly #feed: Feed
  readonly #options: StreamOptions
  readonly #items = this.#follow()
  /** The number of items of the feed that were read. */
  #read: number
  #missed: Pages<LiveItem> | null = null
  /** Missed items with higher positions can be in the feed as well. */
  #repeatedAfter = ''
  readonly #repeated = new Set<string>()
  #isEnded = false
  #error: Error | null = null
  #continue = () => {}
  readonly #wake = () => this.#continue()
  /** Whether the client has read the end of the stream, or ended it. */
  finished = false

  constructor(feed: Feed, options: StreamOptions) {
    this.#feed = feed
    this.#options = options
    this.#read = feed.end
    feed.listeners.add(this.#wake)
  }

  /** The stream begins with these. */
  startWith(missed: Pages<LiveItem>, repeatedAfter: string): void {
    this.#missed = missed
    this.#repeatedAfter = repeatedAfter
  }

  /** The client's next read rejects with the error of the reason. */
  end(reason: EndReason): void {
    if (this.#isEnded) return
    this.#error = this.#options.toError(reason)
    this.#close(reason)
  }

  next(): Promise<IteratorResult<StreamItem>> {
    return this.#items.next()
  }

  async return(): Promise<IteratorResult<StreamItem>> {
    this.finished = true
    this.#error = null
    if (!this.#isEnded) this.#close(null)
    return await this.#items.return(undefined)
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  async *#follow(): AsyncGenerator<StreamItem, undefined> {
    try {
      for await (const page of this.#missed ?? []) {
        for (const { position } of page)
          if (position !== null && position > this.#repeatedAfter) this.#repeated.add(position)
        yield* this.#toStreamItems(page)
      }
    } catch {
      this.end('unavailable')
    }
    while (!this.#isEnded) {
      const taken = this.#feed.take(this.#read, MAX_BATCH)
      if (taken === null) this.end('missed too much')
      else if (taken.items.length > 0) {
        this.#read = taken.next
        yield* this.#toStreamItems(
          taken.items.filter(({ position }) => !this.#repeated.delete(position ?? '')),
        )
      } else await new Promise<void>((resolve) => (this.#continue = resolve))
    }
    this.finished = true
    if (this.#error) throw this.#error
  }

  *#toStreamItems(items: readonly LiveItem[]): Generator<StreamItem> {
    const matching = items.filter(this.#options.accepts)
    for (let i = 0; i < matching.length; i += MAX_BATCH) {
      const batch = matching.slice(i, i + MAX_BATCH)
      for (const item of batch) {
        if (this.#isEnded) return
        yield { item, batch }
      }
    }
  }

  #close(reason: EndReason | null): void {
    this.#isEnded = true
    this.#feed.listeners.delete(this.#wake)
    this.#continue()
    this.#options.onEnd(reason)
  }
}
