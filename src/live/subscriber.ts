import type { LiveItem, Pages } from './topic.ts'

/** Why the server ends a stream or does not start it. */
export type EndReason =
  | 'fell behind'
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

/** Items queued for a client that reads more slowly than they arrive. */
export const MAX_QUEUED = 1_000

/** The rows of a batch are in memory together. */
const MAX_BATCH = 200

export interface SubscriberOptions {
  readonly accepts: (item: LiveItem) => boolean
  /** Whether the queue holds only the newest item. */
  readonly onlyNewest?: boolean
  /** Called once. `reason` is null if the client ended the stream. */
  readonly onEnd: (reason: EndReason | null) => void
  readonly toError: (reason: EndReason) => Error
}

/** The items of one stream: those that the client missed, read as it reads, then those of its feed. */
export class Subscriber implements AsyncIterableIterator<StreamItem> {
  readonly #options: SubscriberOptions
  readonly #items = this.#follow()
  #queue: StreamItem[] = []
  #missed: Pages<LiveItem> | null = null
  /** Missed items with higher positions can be in the feed as well. */
  #repeatedAfter = ''
  readonly #repeated = new Set<string>()
  #isEnded = false
  #error: Error | null = null
  #continue = () => {}
  /** Whether the client has read the end of the stream, or ended it. */
  finished = false

  constructor(options: SubscriberOptions) {
    this.#options = options
  }

  push(items: readonly LiveItem[]): void {
    if (this.#isEnded) return
    this.#queue.push(...this.#toStreamItems(items))
    if (this.#options.onlyNewest) this.#queue = this.#queue.slice(-1)
    if (this.#queue.length > MAX_QUEUED) this.end('fell behind')
    this.#continue()
  }

  /** The stream begins with these. */
  startWith(missed: Pages<LiveItem>, repeatedAfter: string): void {
    this.#missed = missed
    this.#repeatedAfter = repeatedAfter
  }

  /** Discards the queue. The client's next read rejects with the error of the reason. */
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
      yield* this.#readMissed()
    } catch {
      this.end('unavailable')
    }
    while (!this.#isEnded) {
      const next = this.#queue.shift()
      if (!next) await new Promise<void>((resolve) => (this.#continue = resolve))
      else if (!this.#repeated.delete(next.item.position ?? '')) yield next
    }
    this.finished = true
    if (this.#error) throw this.#error
  }

  async *#readMissed(): AsyncGenerator<StreamItem> {
    for await (const page of this.#missed ?? []) {
      for (const missed of this.#toStreamItems(page)) {
        const { position } = missed.item
        if (position !== null && position > this.#repeatedAfter) this.#repeated.add(position)
        if (this.#isEnded) return
        yield missed
      }
    }
  }

  #toStreamItems(items: readonly LiveItem[]): StreamItem[] {
    const matching = items.filter(this.#options.accepts)
    const found: StreamItem[] = []
    for (let i = 0; i < matching.length; i += MAX_BATCH) {
      const batch = matching.slice(i, i + MAX_BATCH)
      found.push(...batch.map((item) => ({ item, batch })))
    }
    return found
  }

  #close(reason: EndReason | null): void {
    this.#isEnded = true
    this.#queue = []
    this.#continue()
    this.#options.onEnd(reason)
  }
}
