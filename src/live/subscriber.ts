import type { LiveEvent } from './live-event.ts'

/** Why a stream ends that its client did not end, or does not begin. */
export type EndReason =
  | 'fell behind'
  | 'revoked'
  | 'expired'
  | 'signed out'
  | 'shutting down'
  | 'too many'

/** One thing that happened, with what came by the same notification, so that all of it can be read at once. */
export interface StreamItem {
  readonly liveEvent: LiveEvent
  readonly batch: readonly LiveEvent[]
}

/** What a stream may hold for a client that does not read as fast as things happen. */
export const MAX_WAITING_EVENTS = 1_000

/** So many are read from the tables at once at most, since their rows are held in memory together. */
const MAX_BATCH = 200

export interface SubscriberOptions {
  readonly organizationId: string
  readonly apiKeyId: string
  readonly wants: (liveEvent: LiveEvent) => boolean
  /** Once, whoever ends it. */
  readonly onEnd: (reason: EndReason | null) => void
  readonly toError: (reason: EndReason) => Error
}

/** The events of one stream, in the order they happened. It never holds more than it may: it rather ends. */
export class Subscriber implements AsyncIterableIterator<StreamItem> {
  readonly organizationId: string
  readonly apiKeyId: string
  #options: SubscriberOptions
  #waiting: StreamItem[] = []
  #reader: PromiseWithResolvers<IteratorResult<StreamItem>> | null = null
  #ended = false
  #error: Error | null = null

  constructor(options: SubscriberOptions) {
    this.organizationId = options.organizationId
    this.apiKeyId = options.apiKeyId
    this.#options = options
  }

  /** Whether its client was told how it ended, or ended it. */
  get finished(): boolean {
    return this.#ended && this.#error === null && this.#waiting.length === 0
  }

  push(liveEvents: readonly LiveEvent[]): void {
    const wanted = liveEvents.filter(this.#options.wants)
    for (let i = 0; i < wanted.length && !this.#ended; i += MAX_BATCH) {
      const batch = wanted.slice(i, i + MAX_BATCH)
      for (const liveEvent of batch) this.#waiting.push({ liveEvent, batch })
      if (this.#waiting.length > MAX_WAITING_EVENTS) this.end('fell behind')
    }
    this.#answer()
  }

  /** What waits is given up; the next thing its client gets is the error. */
  end(reason: EndReason): void {
    if (this.#ended) return
    this.#error = this.#options.toError(reason)
    this.#close(reason)
  }

  next(): Promise<IteratorResult<StreamItem>> {
    this.#reader = Promise.withResolvers()
    const { promise } = this.#reader
    this.#answer()
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
    this.#waiting = []
    this.#answer()
    this.#options.onEnd(reason)
  }

  #answer(): void {
    const reader = this.#reader
    if (!reader) return
    const event = this.#waiting.shift()
    if (!event && !this.#ended) return
    this.#reader = null
    if (event) reader.resolve({ done: false, value: event })
    else if (this.#error) {
      reader.reject(this.#error)
      this.#error = null
    } else reader.resolve({ done: true, value: undefined })
  }
}
