import { setTimeout as sleep } from 'node:timers/promises'
import type { Sql } from '../../db/client.ts'
import { lowerBoundAt, timestampOf } from '../../lib/uuid-v7.ts'
import { lowest } from './notify.ts'

/** One kind of news of an organization, and how to read it from the tables. Streams subscribe to a topic. */
export interface Topic<Item extends LiveItem = LiveItem> {
  readonly name: string
  /** The pause between two reads, for a topic that may skip states. Default: none. */
  readonly restMs?: number
  /** How often to read without a notification, for news of which nobody notifies. Default: every 10 seconds. */
  readonly pollMs?: number
  /** Whether a stream needs only the newest item. Its client cannot fall behind. Default: false. */
  readonly onlyNewest?: boolean
  /** Called once for all streams of an organization in a process. Returns how to read the items after a UUIDv7. */
  follow(sql: Sql, organizationId: string): (since: string) => Pages<Item>
  /** For streams that resume: the items after a UUIDv7, or null if they are more than `MAX_MISSED`. */
  openMissed?(sql: Sql, scope: LiveScope, since: string): Promise<Pages<Item> | null>
}

/** Items, oldest first. */
export type Pages<Item> = AsyncIterable<readonly Item[]>

export interface LiveItem {
  /** A uuid. */
  readonly webhookId: string
  /** The id of the item, a UUIDv7 in the order of time. Null: a state, which is never read twice. */
  readonly position: string | null
}

export interface LiveScope {
  readonly organizationId: string
  /** The uuid of the only webhook. Null: all. */
  readonly webhookId: string | null
}

/** A client that missed more reads the lists again, which is faster. */
export const MAX_MISSED = 10_000

/**
 * A topic of an organization: what is new is read once for all of its streams in this process. Each stream reads the items
 * at its own pace. The last `MAX_MISSED` are kept at least.
 */
export class Feed {
  /** Called when there are new items: once for each stream. */
  readonly listeners = new Set<() => void>()
  readonly #topic: Topic
  readonly #read: (since: string) => Pages<LiveItem>
  readonly #onError: (error: unknown) => void
  readonly #polls: NodeJS.Timeout | undefined
  #items: LiveItem[] = []
  /** The number of items before the kept ones. */
  #forgotten = 0
  /** The positions of the kept items, because a read begins before the last item of the one before. */
  readonly #seen = new Set<string>()
  /** Where the feed began. */
  #from = ''
  /** The last item that was read. */
  #last = ''
  /** The lowest `since` of the notifications after the last read began. */
  #since: string | undefined
  #isNotified = false
  #starting: Promise<void> | null = null
  #reading: Promise<void> | null = null

  constructor(topic: Topic, sql: Sql, organizationId: string, onError: (error: unknown) => void) {
    this.#topic = topic
    this.#read = topic.follow(sql, organizationId)
    this.#onError = onError
    if (topic.pollMs === undefined) return
    this.#polls = setInterval(() => this.notify(), topic.pollMs)
    this.#polls.unref()
  }

  /** Ends the polls. Without streams, nothing else happens. */
  close(): void {
    clearInterval(this.#polls)
  }

  /** The number of items since the feed began. */
  get end(): number {
    return this.#forgotten + this.#items.length
  }

  /** Up to `max` items after the first `start` of the feed, and where to go on. Null if they are no longer kept. */
  take(start: number, max: number): { items: readonly LiveItem[]; next: number } | null {
    const from = this.#topic.onlyNewest ? Math.max(start, this.end - 1) : start
    if (from < this.#forgotten) return null
    const items = this.#items.slice(from - this.#forgotten, from - this.#forgotten + max)
    return { items, next: from + items.length }
  }

  /** Resolves once the feed has everything that commits after `registeredAt`, a UUIDv7. */
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
    while (this.#isNotified && this.listeners.size > 0) {
      await this.#readNew().catch(this.#onError)
      if (this.#topic.restMs) await sleep(this.#topic.restMs)
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
    const fresh = page.filter(({ position }) => position === null || !this.#seen.has(position))
    this.#items.push(...fresh)
    for (const { position } of fresh) {
      if (position === null) continue
      this.#seen.add(position)
      if (position > this.#last) this.#last = position
    }
    if (this.#items.length > 2 * MAX_MISSED) this.#forget(this.#items.length - MAX_MISSED)
    if (fresh.length > 0) for (const listener of this.listeners) listener()
  }

  #forget(count: number): void {
    for (const { position } of this.#items.splice(0, count)) this.#seen.delete(position ?? '')
    this.#forgotten += count
  }
}
