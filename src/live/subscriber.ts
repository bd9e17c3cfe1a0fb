import type { LiveEvent } from './live-event.ts'

/** Why the server ends a stream or does not start it. */
export type EndReason =
  | 'fell behind'
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

/** The live events of one stream, in the order of their arrival. Ends when its queue is full. */
export class Subscriber implements AsyncIterableIterator<StreamItem> {
  readonly organizationId: string
  readonly apiKeyId: string
  #options: SubscriberOptions
  #queue: StreamItem[] = []
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
    const matching = liveEvents.filter(this.#options.filter)
    for (let i = 0; i < matching.length && !this.#ended; i += MAX_BATCH) {
      const batch = matching.slice(i, i + MAX_BATCH)
      for (const liveEvent of batch) this.#queue.push({ liveEvent, batch })
      if (this.#queue.length > MAX_QUEUED_EVENTS) this.end('fell behind')
    }
    this.#resolveRead()
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

  #close(reason: EndReason | null): void {
    this.#ended = true
    this.#queue = []
    this.#resolveRead()
    this.#options.onEnd(reason)
  }

  #resolveRead(): void {
    const read = this.#pendingRead
    if (!read) return
    const item = this.#queue.shift()
    if (!item && !this.#ended) return
    this.#pendingRead = null
    if (item) read.resolve({ done: false, value: item })
    else if (this.#error) {
      read.reject(this.#error)
      this.#error = null
    } else read.resolve({ done: true, value: undefined })
  }
}
