import type { Sql } from '../../db/client.ts'
import { unavailable } from '../../db/faults.ts'
import { openSession, type Session } from '../../db/session.ts'
import { DomainError } from '../../lib/errors.ts'
import { lowerBoundAt, timestampOf } from '../../lib/uuid-v7.ts'
import { describeRequest } from '../../telemetry/request-log.ts'
import { Feed, type LiveItem, type Topic } from './feed.ts'
import { CHANNEL, decode } from './notify.ts'
import { type EndReason, LiveStream, type StreamItem } from './stream.ts'

export interface HubOptions {
  readonly databaseUrl: string
  readonly sql: Sql
  /** Why each caller may call no more, or null, in order. */
  readonly findEnded: (
    callers: readonly Pick<Subscription, 'apiKeyId' | 'sessionId'>[],
  ) => Promise<(EndReason | null)[]>
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

/** How often to read without a notification: the process that would have notified may have been killed. */
const READ_EVERY_MS = 10_000

/** A client that does not read the error of its ended stream within this time is disconnected. */
const DISCONNECT_AFTER_MS = 10_000

/** All streams of this process. They share one connection to Postgres, which is open while there are streams. */
export class LiveHub implements AsyncDisposable {
  readonly #options: HubOptions
  readonly #streams = new Map<LiveStream, Subscription>()
  /** By organization and topic. */
  readonly #feeds = new Map<string, Map<string, Feed>>()
  readonly #closing = new Set<Promise<void>>()
  #session: Session | null = null
  /** Nothing before this UUIDv7 was missed. */
  #listensSince = ''
  #time: Promise<string> | null = null
  #timers: NodeJS.Timeout[] = []
  #isClosed = false

  constructor(options: HubOptions) {
    this.#options = options
  }

  /** The number of open streams. */
  get size(): number {
    return this.#streams.size
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
    const ofKey = [...this.#streams.values()].filter((other) => other.apiKeyId === apiKeyId)
    if (ofKey.length >= MAX_STREAMS_PER_KEY) {
      describeRequest({ limit: 'subscriptions' })
      throw toError('too many')
    }
    const feed = this.#feedOf(subscription)
    const stream = new LiveStream(feed, {
      accepts: (item) =>
        (webhookId === null || item.webhookId === webhookId) && subscription.filter(item as Item),
      toError,
      onEnd: (reason) => this.#onEnd(stream, subscription, feed, reason),
    })
    this.#streams.set(stream, subscription)
    this.#session ??= this.#listen()
    try {
      const listensSince = await this.#readTime(this.#session)
      await feed.start(listensSince)
      await this.#resume(stream, subscription, listensSince)
    } catch (error) {
      void stream.return()
      throw this.#isClosed ? shuttingDown() : unavailable(error)
    }
    // Its feed and `openMissed` have items of the topic only.
    return stream as AsyncIterableIterator<StreamItem<Item>>
  }

  async #resume(
    stream: LiveStream,
    { organizationId, webhookId, topic, after }: Subscription,
    listensSince: string,
  ): Promise<void> {
    if (after === null || !topic.openMissed) return
    const since = lowerBoundAt(new Date(after.getTime() - REORDERED_WITHIN_MS))
    const scope = { organizationId, webhookId }
    const missed = await topic.openMissed(this.#options.sql, scope, since)
    if (missed) stream.startWith(missed, earlier(listensSince))
    else stream.end('missed too much')
  }

  #feedOf({ organizationId, topic }: Subscription): Feed {
    const feeds = this.#feeds.get(organizationId) ?? new Map<string, Feed>()
    this.#feeds.set(organizationId, feeds)
    const { sql, onError } = this.#options
    const feed = feeds.get(topic.name) ?? new Feed(topic, sql, organizationId, onError)
    feeds.set(topic.name, feed)
    return feed
  }

  #allFeeds(): Feed[] {
    return [...this.#feeds.values()].flatMap((feeds) => [...feeds.values()])
  }

  #listen(): Session {
    const { databaseUrl, onError } = this.#options
    const every = (ms: number, run: () => Promise<void>) =>
      setInterval(() => run().catch(onError), ms).unref()
    this.#listensSince = ''
    this.#timers = [
      every(CHECK_KEYS_EVERY_MS, () => this.#endUnauthorized()),
      every(READ_EVERY_MS, () => this.#readAll()),
    ]
    return openSession(databaseUrl, {
      name: 'live',
      onOpen: async (opened) => {
        await opened.query(`listen ${CHANNEL}`)
        const before = this.#listensSince
        this.#listensSince = await readTime(opened)
        if (before) for (const feed of this.#allFeeds()) feed.repeat(earlier(before))
      },
      onNotification: (payload) => {
        const notification = decode(payload)
        if (!notification) for (const feed of this.#allFeeds()) feed.notify()
        else
          for (const feed of this.#feeds.get(notification.organizationId)?.values() ?? [])
            feed.notify(notification.since)
      },
      onError,
    })
  }

  /** One statement at a time: streams that begin together share it. */
  #readTime(session: Session): Promise<string> {
    this.#time ??= session.use(readTime).finally(() => {
      this.#time = null
    })
    return this.#time
  }

  /** This also detects a broken connection. */
  async #readAll(): Promise<void> {
    if (!this.#session) return
    this.#listensSince = await this.#readTime(this.#session)
    for (const feed of this.#allFeeds()) feed.notify()
  }

  async #endUnauthorized(): Promise<void> {
    const open = [...this.#streams]
    const reasons = await this.#options.findEnded(open.map(([, caller]) => caller))
    for (const [i, [stream]] of open.entries()) {
      const reason = reasons[i]
      if (reason) stream.end(reason)
    }
  }

  #onEnd(
    stream: LiveStream,
    { organizationId, topic, disconnect }: Subscription,
    feed: Feed,
    reason: EndReason | null,
  ): void {
    this.#streams.delete(stream)
    if (reason) {
      setTimeout(() => {
        if (!stream.finished) disconnect()
      }, DISCONNECT_AFTER_MS).unref()
    }
    if (feed.listeners.size > 0) return
    feed.close()
    const feeds = this.#feeds.get(organizationId)
    feeds?.delete(topic.name)
    if (feeds?.size === 0) this.#feeds.delete(organizationId)
    if (this.#feeds.size === 0) this.#stop()
  }

  #stop(): void {
    for (const timer of this.#timers) clearInterval(timer)
    const stopping = this.#session?.[Symbol.asyncDispose]()
    this.#session = null
    const stopped = Promise.resolve(stopping)
      .catch(this.#options.onError)
      .finally(() => this.#closing.delete(stopped))
    this.#closing.add(stopped)
  }

  async [Symbol.asyncDispose]() {
    this.#isClosed = true
    // Clients reconnect after a broken connection, but not after a completed stream.
    for (const [stream, { disconnect }] of [...this.#streams]) {
      disconnect()
      stream.end('shutting down')
    }
    await Promise.all(this.#closing)
  }
}

/** The time of the database as a UUIDv7: the session listens, so it is notified of all that commits later. */
async function readTime(session: Sql): Promise<string> {
  const { rows } = await session.query<{ now: string }>(
    'select posthorn.uuid_v7_lower_bound(now()) as now',
  )
  return rows[0]?.now as string
}

function earlier(position: string): string {
  return lowerBoundAt(new Date(timestampOf(position).getTime() - REORDERED_WITHIN_MS))
}

function shuttingDown(): DomainError {
  return new DomainError('unavailable', 'This process is shutting down. Connect again.')
}
