import { setTimeout as sleep } from 'node:timers/promises'
import { LruMap } from '../lib/lru-map.ts'
import { lowerBoundAt, timestampOf } from '../lib/uuid-v7.ts'
import { lowest } from './notify.ts'
import type { Subscriber } from './subscriber.ts'
import type { LiveItem, Pages } from './topic.ts'

/** Items that are remembered, because a read begins before the last item of the one before. */
const MAX_SEEN = 20_000

interface FeedOptions {
  readonly restMs: number
  readonly pollMs: number | undefined
  readonly onError: (error: unknown) => void
}

/** A topic of an organization: what is new is read once for all of its subscribers in this process. */
export class Feed {
  readonly subscribers = new Set<Subscriber>()
  readonly #read: (since: string) => Pages<LiveItem>
  readonly #restMs: number
  readonly #onError: (error: unknown) => void
  readonly #polls: NodeJS.Timeout | undefined
  readonly #seen = new LruMap<string, true>({ maxEntries: MAX_SEEN })
  /** Where the feed began. */
  #from = ''
  /** The last item that was read. */
  #last = ''
  /** The lowest `since` of the notifications after the last read began. */
  #since: string | undefined
  #isNotified = false
  #starting: Promise<void> | null = null
  #reading: Promise<void> | null = null

  constructor(read: (since: string) => Pages<LiveItem>, { restMs, pollMs, onError }: FeedOptions) {
    this.#read = read
    this.#restMs = restMs
    this.#onError = onError
    if (pollMs !== undefined) {
      this.#polls = setInterval(() => this.notify(), pollMs)
      this.#polls.unref()
    }
  }

  /** Ends the polls. Without subscribers, nothing else happens. */
  close(): void {
    clearInterval(this.#polls)
  }

  /** Resolves once the subscribers get everything that commits after `registeredAt`, a UUIDv7. */
  async start(registeredAt: string): Promise<void> {
    this.#starting ??= this.#begin(registeredAt)
    try {
      await this.#starting
    } catch (error) {
      this.#starting = null
      throw error
    }
  }

  /** Notifications during a read lead to one more read. Without `since`, it goes on after the last item. */
  notify(since?: string): void {
    this.#since = lowest(this.#since, since)
    this.#isNotified = true
    if (this.#starting) this.#reading ??= this.#readWhileNotified()
  }

  /** Reads again what may have committed without a notification. */
  repeat(since: string): void {
    this.notify(since > this.#from ? since : this.#from)
  }

  async #begin(registeredAt: string): Promise<void> {
    this.#from = registeredAt
    this.#last = registeredAt
    await this.#readNew()
  }

  async #readWhileNotified(): Promise<void> {
    await this.#starting?.catch(() => {})
    while (this.#isNotified && this.subscribers.size > 0) {
      await this.#readNew().catch(this.#onError)
      if (this.#restMs > 0) await sleep(this.#restMs)
    }
    this.#reading = null
  }

  async #readNew(): Promise<void> {
    const since = lowest(this.#since, this.#last) as string
    this.#since = undefined
    this.#isNotified = false
    try {
      for await (const page of this.#read(lowerBoundAt(timestampOf(since)))) this.#push(page)
    } catch (error) {
      this.#since = lowest(this.#since, since)
      throw error
    }
  }

  #push(page: readonly LiveItem[]): void {
    const fresh = page.filter(({ position }) => position === null || !this.#seen.get(position))
    for (const { position } of fresh) if (position !== null) this.#remember(position)
    if (fresh.length > 0) for (const subscriber of this.subscribers) subscriber.push(fresh)
  }

  #remember(position: string): void {
    if (position > this.#last) this.#last = position
    this.#seen.set(position, true)
  }
}
