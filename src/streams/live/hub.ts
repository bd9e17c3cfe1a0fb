import type { Sql } from '../../db/client.ts'
import { unavailable } from '../../db/faults.ts'
import { openSession, type Session } from '../../db/session.ts'
import { DomainError } from '../../lib/errors.ts'
import { describeRequest } from '../../telemetry/request-log.ts'
import { type EndReason, News } from './news.ts'
import { CHANNEL, decode, lowest, type Notification } from './notify.ts'
import { inBatches, REPEAT, type StreamItem, type Topic } from './stream.ts'

export interface HubOptions {
  readonly databaseUrl: string
  readonly sql: Sql
  /** Why each caller may call no more, or null, in order. */
  readonly findEnded: (
    callers: readonly Pick<Subscriber, 'apiKeyId' | 'sessionId'>[],
  ) => Promise<(EndReason | null)[]>
  readonly onError: (error: unknown) => void
}

/** A client that waits for what is new in its organization. */
export interface Subscriber {
  readonly organizationId: string
  readonly apiKeyId: string
  /** The console session that opened the subscription. Null: an API key or another session. */
  readonly sessionId: string | null
  /** Whether it is notified every `POLL_MS`, too, for what comes without a notification. Default: false. */
  readonly polls?: boolean
  readonly toError: (reason: EndReason) => Error
  /** Breaks the client's connection. */
  readonly disconnect: () => void
}

export interface Subscription<Item> extends Subscriber {
  readonly topic: Topic<Item>
  /** The uuid of the only webhook. Null: all. */
  readonly webhookId: string | null
  /** Where to resume the stream. Null: it begins now. */
  readonly after: Date | null
}

/** Streams of one API key in one process. */
export const MAX_STREAMS_PER_KEY = 100

/** Notifications of an organization in this time make one read. */
const PAUSE_MS = 50

const CHECK_KEYS_EVERY_MS = 2_000

/** How often to read without a notification: the process that would have notified may have been killed. */
const READ_EVERY_MS = 10_000

/** Events that SQL publishes come without a notification: those who notify would wait for each other's commits. */
const POLL_MS = 250

/** A client that does not read the error of its ended stream within this time is disconnected. */
const DISCONNECT_AFTER_MS = 10_000

/** All clients of this process that wait. They share one connection to Postgres, which is open while there are some. */
export class LiveHub implements AsyncDisposable {
  readonly #options: HubOptions
  readonly #subscribers = new Map<News, Subscriber>()
  readonly #reads = new Map<unknown, Promise<unknown>>()
  #closing = Promise.resolve()
  #session: Session | null = null
  #time: Promise<Date> | null = null
  /** By organization, after a notification: what has come since. */
  readonly #pauses = new Map<string, { next: Notification | null }>()
  #timers: NodeJS.Timeout[] = []
  #isClosed = false

  constructor(options: HubOptions) {
    this.#options = options
  }

  /** The number of clients. */
  get size(): number {
    return this.#subscribers.size
  }

  /** Resolves once the stream gets all later items. Throws as `open` does. A stream that missed too much ends at once. */
  async subscribe<Item>({
    topic,
    webhookId,
    after,
    ...subscriber
  }: Subscription<Item>): Promise<AsyncIterableIterator<StreamItem<Item>, void>> {
    return await this.open(subscriber, async (news) => {
      const { sql } = this.#options
      const { organizationId } = subscriber
      const pages = await topic.open({ sql, news, organizationId, webhookId }, after)
      if (pages === null) news.end('missed too much')
      return news.stream(inBatches(pages ?? []))
    })
  }

  /**
   * Calls `begin` once the client is notified of all that commits later. Throws if the API key has `MAX_STREAMS_PER_KEY`
   * clients, and `unavailable` if Postgres cannot be reached.
   */
  async open<Opened>(
    subscriber: Subscriber,
    begin: (news: News) => Promise<Opened>,
  ): Promise<Opened> {
    if (this.#isClosed) throw shuttingDown()
    const { apiKeyId, toError } = subscriber
    const ofKey = [...this.#subscribers.values()].filter((other) => other.apiKeyId === apiKeyId)
    if (ofKey.length >= MAX_STREAMS_PER_KEY) {
      describeRequest({ limit: 'subscriptions' })
      throw toError('too many')
    }
    const news = new News({
      toError,
      share: (key, read) => this.#share(key, read),
      onReadError: this.#options.onError,
      onEnd: (reason) => this.#onEnd(news, subscriber, reason),
    })
    this.#subscribers.set(news, subscriber)
    this.#session ??= this.#listen()
    try {
      news.openedAt = await this.#readTime(this.#session).catch((error) => {
        throw this.#isClosed ? shuttingDown() : unavailable(error)
      })
      return await begin(news)
    } catch (error) {
      news.close()
      throw error
    }
  }

  /** Clients that are notified together ask in the same round of the event loop. */
  #share<Result>(key: unknown, read: () => Promise<Result>): Promise<Result> {
    const known = (this.#reads.get(key) as Promise<Result> | undefined) ?? read()
    this.#reads.set(key, known)
    setImmediate(() => this.#reads.delete(key))
    return known
  }

  #listen(): Session {
    const { databaseUrl, onError } = this.#options
    const every = (ms: number, run: () => Promise<void>) =>
      setInterval(() => run().catch(onError), ms).unref()
    this.#timers = [
      every(CHECK_KEYS_EVERY_MS, () => this.#endUnauthorized()),
      every(POLL_MS, async () => {
        for (const [news, { polls }] of this.#subscribers) if (polls) news.notify()
      }),
      every(READ_EVERY_MS, () => this.#readAll()),
    ]
    return openSession(databaseUrl, {
      name: 'live',
      onOpen: async (opened) => {
        await opened.query(`listen ${CHANNEL}`)
        this.#notifyAll(REPEAT)
      },
      onNotification: (payload) => {
        const notification = decode(payload)
        if (notification) this.#notify(notification)
        else this.#notifyAll()
      },
      onError,
    })
  }

  /** At once, or together with others after the pause. So clients ask for the same at the same time. */
  #notify({ organizationId, since }: Notification): void {
    const pause = this.#pauses.get(organizationId)
    if (pause) {
      pause.next = { organizationId, since: lowest(pause.next?.since, since) }
      return
    }
    for (const [news, subscriber] of this.#subscribers) {
      if (subscriber.organizationId === organizationId) news.notify(since)
    }
    const begun: { next: Notification | null } = { next: null }
    this.#pauses.set(organizationId, begun)
    setTimeout(() => {
      this.#pauses.delete(organizationId)
      if (begun.next) this.#notify(begun.next)
    }, PAUSE_MS).unref()
  }

  #notifyAll(since?: string): void {
    for (const news of this.#subscribers.keys()) news.notify(since)
  }

  /** One statement at a time: clients that begin together share it. */
  #readTime(session: Session): Promise<Date> {
    this.#time ??= session.use(readTime).finally(() => {
      this.#time = null
    })
    return this.#time
  }

  /** This also detects a broken connection. */
  async #readAll(): Promise<void> {
    if (!this.#session) return
    await this.#readTime(this.#session)
    this.#notifyAll(REPEAT)
  }

  async #endUnauthorized(): Promise<void> {
    const open = [...this.#subscribers]
    const reasons = await this.#options.findEnded(open.map(([, caller]) => caller))
    for (const [i, [news]] of open.entries()) {
      const reason = reasons[i]
      if (reason) news.end(reason)
    }
  }

  #onEnd(news: News, { disconnect }: Subscriber, reason: EndReason | null): void {
    this.#subscribers.delete(news)
    if (reason) {
      setTimeout(() => {
        if (!news.finished) disconnect()
      }, DISCONNECT_AFTER_MS).unref()
    }
    if (this.#subscribers.size === 0) this.#stop()
  }

  #stop(): void {
    for (const timer of this.#timers) clearInterval(timer)
    const session = this.#session
    this.#session = null
    this.#closing = this.#closing
      .then(() => session?.[Symbol.asyncDispose]())
      .catch(this.#options.onError)
  }

  async [Symbol.asyncDispose]() {
    this.#isClosed = true
    // Clients reconnect after a broken connection, but not after a completed stream.
    for (const [news, { disconnect }] of [...this.#subscribers]) {
      disconnect()
      news.end('shutting down')
    }
    await this.#closing
  }
}

async function readTime(session: Sql): Promise<Date> {
  const { rows } = await session.query<{ now: Date }>('select now()')
  return (rows[0] as { now: Date }).now
}

function shuttingDown(): DomainError {
  return new DomainError('unavailable', 'This process is shutting down. Connect again.')
}
