import type { LiveEvent } from './live-event.ts'

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

export interface StreamItem {
  readonly liveEvent: LiveEvent
  /** The live events of the same notification, itself included, so that their rows can be loaded together. */
  readonly batch: readonly LiveEvent[]
}

/** Live events queued for a client that reads more slowly than they arrive. */
export const MAX_QUEUED_EVENTS = 1_000

/** The rows of a batch are in memory together. */
const MAX_BATCH = 200

export interface SubscriberOptions {
  readonly organizationId: string
  readonly apiKeyId: string
  readonly filter: (liveEvent: LiveEvent) => boolean
  /** Called once. `reason` is null if the client ended the stream. */
  readonly onEnd: (reason: EndReason | null) => void
  readonly toError: (reason: EndReason) => Error
}

/**
 * The live events of one stream, in the order of their arrival, after those that the client missed. Ends when its queue
 * is full.
 */
export class Subscriber implements AsyncIterableIterator<StreamItem> {
  readonly organizationId: string
  readonly apiKeyId: string
  #options: SubscriberOptions
  #queue: StreamItem[] = []
  /** Pages of missed events. Null when the last one has been read. */
  #missed: AsyncIterator<readonly LiveEvent[]> | null = null
  #page: StreamItem[] = []
  #isLoading = false
  /** Attempts of the pages that may be in the queue as well. */
  readonly #repeated = new Set<string>()
  #liveFrom = ''
  #pendingRead: PromiseWithResolvers<IteratorResult<StreamItem>> | null = null
  #ended = false
  #error: Error | null = null

  constructor(options: SubscriberOptions) {
    this.organizationId = options.organizationId
    this.apiKeyId = options.apiKeyId
    this.#options = options
  }

  /** Whether the client has read the end of the stream, or ended it. */
  get finished(): boolean {
    return this.#ended && this.#error === null && this.#queue.length === 0
  }

  push(liveEvents: readonly LiveEvent[]): void {
    if (this.#ended) return
    this.#queue.push(...this.#toItems(liveEvents))
    if (this.#queue.length > MAX_QUEUED_EVENTS) this.end('fell behind')
    this.#resolveRead()
  }

  /** The stream begins with these. `push` gets attempts with ids above `liveFrom` only. */
  startWith(missed: AsyncIterator<readonly LiveEvent[]>, liveFrom: string): void {
    this.#missed = missed
    this.#liveFrom = liveFrom
  }

  /** Discards the queue. The client's next read rejects with the error of the reason. */
  end(reason: EndReason): void {
    if (this.#ended) return
    this.#error = this.#options.toError(reason)
    this.#close(reason)
  }

  next(): Promise<IteratorResult<StreamItem>> {
    this.#pendingRead = Promise.withResolvers()
    const { promise } = this.#pendingRead
    this.#resolveRead()
    return promise
  }

  async return(): Promise<IteratorResult<StreamItem>> {
    this.#error = null
    if (!this.#ended) this.#close(null)
    return { done: true, value: undefined }
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  #toItems(liveEvents: readonly LiveEvent[]): StreamItem[] {
    const matching = liveEvents.filter(this.#options.filter)
    const items: StreamItem[] = []
    for (let i = 0; i < matching.length; i += MAX_BATCH) {
      const batch = matching.slice(i, i + MAX_BATCH)
      items.push(...batch.map((liveEvent) => ({ liveEvent, batch })))
    }
    return items
  }

  #close(reason: EndReason | null): void {
    this.#ended = true
    this.#queue = []
    this.#page = []
    this.#missed = null
    this.#resolveRead()
    this.#options.onEnd(reason)
  }

  #resolveRead(): void {
    const read = this.#pendingRead
    if (!read) return
    const item = this.#takeItem()
    if (!item && !this.#ended) {
      if (this.#missed && !this.#isLoading) void this.#loadPage(this.#missed)
      return
    }
    this.#pendingRead = null
    if (item) read.resolve({ done: false, value: item })
    else if (this.#error) {
      read.reject(this.#error)
      this.#error = null
    } else read.resolve({ done: true, value: undefined })
  }

  #takeItem(): StreamItem | undefined {
    if (this.#missed) return this.#page.shift()
    let item = this.#queue.shift()
    while (item?.liveEvent.kind === 'attempt' && this.#repeated.delete(item.liveEvent.attemptId)) {
      item = this.#queue.shift()
    }
    return item
  }

  async #loadPage(missed: AsyncIterator<readonly LiveEvent[]>): Promise<void> {
    this.#isLoading = true
    try {
      const { done, value } = await missed.next()
      if (this.#ended) return
      if (done) this.#missed = null
      else {
        this.#page = this.#toItems(value)
        this.#noteRepeated(this.#page)
      }
    } catch {
      this.end('unavailable')
    } finally {
      this.#isLoading = false
    }
    this.#resolveRead()
  }

  #noteRepeated(missed: readonly StreamItem[]): void {
    for (const { liveEvent } of missed) {
      if (liveEvent.kind === 'attempt' && liveEvent.attemptId > this.#liveFrom) {
        this.#repeated.add(liveEvent.attemptId)
      }
    }
  }
}
