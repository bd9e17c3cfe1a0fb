import type { Sql } from '../db/client.ts'
import { unavailable } from '../db/faults.ts'
import { DomainError } from '../lib/errors.ts'
import { lowerBoundAt, timestampOf } from '../lib/uuid-v7.ts'
import { describeRequest } from '../telemetry/request-log.ts'
import { Feed } from './feed.ts'
import { Listener } from './listener.ts'
import type { Notification } from './notify.ts'
import { type EndReason, type StreamItem, Subscriber } from './subscriber.ts'
import type { LiveItem, Topic } from './topic.ts'

export interface HubOptions {
  readonly databaseUrl: string
  readonly sql: Sql
  /** Returns the uuids of those API keys that are revoked or expired. */
  readonly findInactiveKeys: (keyIds: string[]) => Promise<Map<string, 'revoked' | 'expired'>>
  /** Returns the uuids of those console sessions that have ended. */
  readonly findEndedSessions: (sessionIds: string[]) => Promise<Set<string>>
  readonly onError: (error: unknown) => void
}

export interface Subscription<Item extends LiveItem = LiveItem> {
  readonly organizationId: string
  readonly apiKeyId: string
  /** The console session that opened the subscription. Null: an API key or another session. */
  readonly sessionId: string | null
  readonly topic: Topic<Item>
  /** The uuid of the only webhook. Null: all. */
  readonly webhookId: string | null
  filter(item: Item): boolean
  /** Where to resume the stream. Null: it begins now. */
  readonly after: Date | null
  readonly toError: (reason: EndReason) => Error
  /** Breaks the client's connection. */
  readonly disconnect: () => void
}

/** Streams of one API key in one process. */
export const MAX_STREAMS_PER_KEY = 100

/** A transaction that gave an item its id, or the time of it, has ended and notified within this time. */
const REORDERED_WITHIN_MS = 5_000

const CHECK_KEYS_EVERY_MS = 2_000

/** A client that does not read the error of its ended stream within this time is disconnected. */
const DISCONNECT_AFTER_MS = 10_000

/** All streams of this process. They share one connection to Postgres, which is open while there are streams. */
export class LiveHub implements AsyncDisposable {
  readonly #options: HubOptions
  readonly #subscribers = new Map<Subscriber, Subscription>()
  readonly #feeds = new Map<string, Map<string, Feed>>()
  readonly #closing = new Set<Promise<void>>()
  #listener: Listener | null = null
  #timer: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(options: HubOptions) {
    this.#options = options
  }

  /** The number of open streams. */
  get size(): number {
    return this.#subscribers.size
  }

  /**
   * Resolves once the stream gets all later items. Throws if the API key has `MAX_STREAMS_PER_KEY` streams, and
   * `unavailable` if Postgres cannot be reached. A stream that missed too much ends at once.
   */
  async subscribe<Item extends LiveItem>(
    subscription: Subscription<Item>,
  ): Promise<AsyncIterableIterator<StreamItem<Item>>> {
    if (this.#isClosed) throw shuttingDown()
    const { apiKeyId, webhookId, toError } = subscription
    if (this.#valuesOf('apiKeyId').filter((id) => id === apiKeyId).length >= MAX_STREAMS_PER_KEY) {
      describeRequest({ limit: 'subscriptions' })
      throw toError('too many')
    }
    const feed = this.#feedOf(subscription)
    const subscriber = new Subscriber({
      accepts: (item) =>
        (webhookId === null || item.webhookId === webhookId) && subscription.filter(item as Item),
      toError,
      onlyNewest: subscription.topic.onlyNewest ?? false,
      onEnd: (reason) => this.#onEnd(subscriber, subscription, feed, reason),
    })
    feed.subscribers.add(subscriber)
    this.#subscribers.set(subscriber, subscription)
    this.#listener ??= this.#start()
    try {
      const registeredAt = await this.#listener.update()
      await feed.start(registeredAt)
      await this.#resume(subscriber, subscription, registeredAt)
    } catch (error) {
      void subscriber.return()
      throw this.#isClosed ? shuttingDown() : unavailable(error)
    }
    // Its feed and `openMissed` have items of the topic only.
    return subscriber as AsyncIterableIterator<StreamItem<Item>>
  }

  async #resume(
    subscriber: Subscriber,
    { organizationId, webhookId, topic, after }: Subscription,
    registeredAt: string,
  ): Promise<void> {
    if (after === null || !topic.openMissed) return
    const since = lowerBoundAt(new Date(after.getTime() - REORDERED_WITHIN_MS))
    const scope = { organizationId, webhookId }
    const missed = await topic.openMissed(this.#options.sql, scope, since)
    if (missed) subscriber.startWith(missed, earlier(registeredAt))
    else subscriber.end('missed too much')
  }

  #feedOf({ organizationId, topic }: Subscription): Feed {
    const feeds = this.#feeds.get(organizationId) ?? new Map<string, Feed>()
    this.#feeds.set(organizationId, feeds)
    const { sql, onError } = this.#options
    const feed =
      feeds.get(topic.name) ??
      new Feed(topic.follow(sql, organizationId), {
        restMs: topic.restMs ?? 0,
        pollMs: topic.pollMs,
        onError,
      })
    feeds.set(topic.name, feed)
    return feed
  }

  #allFeeds(): Feed[] {
    return [...this.#feeds.values()].flatMap((feeds) => [...feeds.values()])
  }

  #start(): Listener {
    const { onError } = this.#options
    this.#timer = setInterval(() => this.#endUnauthorized().catch(onError), CHECK_KEYS_EVERY_MS)
    this.#timer.unref()
    return new Listener({
      ...this.#options,
      organizationIds: () => [...this.#feeds.keys()],
      onNotification: ({ organizationId, since }: Notification) => {
        for (const feed of this.#feeds.get(organizationId)?.values() ?? []) feed.notify(since)
      },
      onGap: (since) => {
        for (const feed of this.#allFeeds()) feed.repeat(earlier(since))
      },
      onNews: () => {
        for (const feed of this.#allFeeds()) feed.notify()
      },
    })
  }

  async #endUnauthorized(): Promise<void> {
    const { findInactiveKeys, findEndedSessions } = this.#options
    const sessionIds = this.#valuesOf('sessionId').filter((id) => id !== null)
    const [inactiveKeys, endedSessions] = await Promise.all([
      findInactiveKeys([...new Set(this.#valuesOf('apiKeyId'))]),
      sessionIds.length > 0 ? findEndedSessions([...new Set(sessionIds)]) : new Set<string>(),
    ])
    for (const [subscriber, { apiKeyId, sessionId }] of [...this.#subscribers]) {
      const reason = inactiveKeys.get(apiKeyId)
      if (reason) subscriber.end(reason)
      else if (sessionId && endedSessions.has(sessionId)) subscriber.end('signed out')
    }
  }

  #valuesOf<Name extends 'apiKeyId' | 'sessionId'>(name: Name): Subscription[Name][] {
    return [...this.#subscribers.values()].map((subscription) => subscription[name])
  }

  #onEnd(
    subscriber: Subscriber,
    { organizationId, topic, disconnect }: Subscription,
    feed: Feed,
    reason: EndReason | null,
  ): void {
    this.#subscribers.delete(subscriber)
    feed.subscribers.delete(subscriber)
    if (reason) {
      setTimeout(() => {
        if (!subscriber.finished) disconnect()
      }, DISCONNECT_AFTER_MS).unref()
    }
    if (feed.subscribers.size > 0) return
    feed.close()
    const feeds = this.#feeds.get(organizationId)
    feeds?.delete(topic.name)
    if (feeds?.size !== 0) return
    this.#feeds.delete(organizationId)
    if (this.#feeds.size === 0) this.#stop()
    else this.#listener?.update().catch(this.#options.onError)
  }

  #stop(): void {
    clearInterval(this.#timer)
    const stopping = this.#listener?.[Symbol.asyncDispose]()
    this.#listener = null
    const stopped = Promise.resolve(stopping)
      .catch(this.#options.onError)
      .finally(() => this.#closing.delete(stopped))
    this.#closing.add(stopped)
  }

  async [Symbol.asyncDispose]() {
    this.#isClosed = true
    // Clients reconnect after a broken connection, but not after a completed stream.
    for (const [subscriber, { disconnect }] of [...this.#subscribers]) {
      disconnect()
      subscriber.end('shutting down')
    }
    await Promise.all(this.#closing)
  }
}

function earlier(position: string): string {
  return lowerBoundAt(new Date(timestampOf(position).getTime() - REORDERED_WITHIN_MS))
}

function shuttingDown(): DomainError {
  return new DomainError('unavailable', 'This process is shutting down. Connect again.')
}
