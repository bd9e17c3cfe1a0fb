import type { Sql } from '../../db/client.ts'
import { unavailable } from '../../db/faults.ts'
import { openSession, type Session } from '../../db/session.ts'
import { DomainError } from '../../lib/errors.ts'
import { repeat } from '../../lib/repeat.ts'
import { describeRequest } from '../../telemetry/request-log.ts'
import { givePositions } from '../event-stream/event-stream.ts'
import { type EndReason, News } from './news.ts'
import { CHANNEL } from './notify.ts'

export interface HubOptions {
  readonly databaseUrl: string
  readonly sql: Sql
  /** Why each caller may call no more, or null, in order. */
  readonly findEnded: (
    callers: readonly { readonly apiKeyId: string; readonly sessionId: string | null }[],
  ) => Promise<(EndReason | null)[]>
  readonly onError: (error: unknown) => void
}

/** A client that waits for what is new in its organization. */
export interface Subscriber {
  readonly caller: {
    readonly organizationId: string
    readonly keyId: string
    readonly consoleSessionId: string | null
  }
  /** The error that ends what the client reads. */
  readonly toError: (reason: EndReason) => Error
  /** Breaks the client's connection. */
  readonly disconnect: () => void
}

/** What a client waits for: attempts and states, of which Posthorn notifies, or events, which it looks for. */
type NewsKind = 'notifications' | 'events'

/** Streams of one API key in one process. */
export const MAX_STREAMS_PER_KEY = 100

const CHECK_KEYS_EVERY_MS = 2_000

/** How often to read without a notification: the process that would have notified may have been killed. */
const READ_EVERY_MS = 10_000

/** Events come without a notification: programs that publish in SQL would wait for each other's commits. */
const LOOK_FOR_EVENTS_EVERY_MS = 100

/** All clients of this process that wait. They share one connection to Postgres, which is open while there are some. */
export class LiveHub implements AsyncDisposable {
  readonly #options: HubOptions
  readonly #open = new Map<News, Subscriber & { readonly kind: NewsKind }>()
  readonly #reads = new Map<string, Promise<unknown>>()
  /** By organization: the newest position in its stream when clients were last told of events. */
  #newest: ReadonlyMap<string, number | null> = new Map()
  #closing = Promise.resolve()
  #session: Session | null = null
  #resources = new AsyncDisposableStack()
  #isClosed = false

  constructor(options: HubOptions) {
    this.#options = options
  }

  /** The number of clients. */
  get size(): number {
    return this.#open.size
  }

  /**
   * Calls `begin` once the client is notified of all that commits later. Throws if the API key has `MAX_STREAMS_PER_KEY`
   * clients, and `unavailable` if Postgres cannot be reached.
   */
  async open<Opened>(
    { caller, toError, disconnect }: Subscriber,
    kind: NewsKind,
    begin: (news: News) => Promise<Opened>,
  ): Promise<Opened> {
    if (this.#isClosed) throw shuttingDown()
    const ofKey = [...this.#open.values()].filter((other) => other.caller.keyId === caller.keyId)
    if (ofKey.length >= MAX_STREAMS_PER_KEY) {
      describeRequest({ limit: 'subscriptions' })
      throw toError('too many')
    }
    const news = new News({
      share: (key, read) => this.#share(key, read),
      onReadError: this.#options.onError,
      onEnd: () => {
        this.#open.delete(news)
        if (this.#open.size === 0) this.#stop()
      },
    })
    this.#open.set(news, { caller, toError, disconnect, kind })
    this.#session ??= this.#listen()
    try {
      await this.#session
        .use(async () => {})
        .catch((error) => {
          throw this.#isClosed ? shuttingDown() : unavailable(error)
        })
      return await begin(news)
    } catch (error) {
      news.close()
      throw error
    }
  }

  /** Clients that are notified together ask in the same round of the event loop. */
  #share<Result>(key: string, read: () => Promise<Result>): Promise<Result> {
    const known = (this.#reads.get(key) as Promise<Result> | undefined) ?? read()
    this.#reads.set(key, known)
    setImmediate(() => this.#reads.delete(key))
    return known
  }

  #listen(): Session {
    const { databaseUrl, onError } = this.#options
    const resources = this.#resources
    resources.use(repeat(CHECK_KEYS_EVERY_MS, () => this.#endUnauthorized(), onError))
    resources.use(repeat(LOOK_FOR_EVENTS_EVERY_MS, () => this.#lookForEvents(), onError))
    resources.use(repeat(READ_EVERY_MS, () => this.#readAll(), onError))
    const session = openSession(databaseUrl, {
      name: 'live',
      onOpen: async (opened) => {
        await opened.query(`listen ${CHANNEL}`)
        this.#notify('notifications', null)
      },
      onNotification: (organizationId) => this.#notify('notifications', organizationId),
      onError,
    })
    return resources.use(session)
  }

  /** Null: of all organizations. Clients of one are notified at the same time, so they ask for the same at the same time. */
  #notify(kind: NewsKind, organizationId: string | null): void {
    for (const [news, one] of this.#open) {
      if (one.kind !== kind) continue
      if (organizationId === null || one.caller.organizationId === organizationId) news.notify()
    }
  }

  /** Gives the events of each organization their positions. The first look at an organization notifies, too. */
  async #lookForEvents(): Promise<void> {
    const readers = [...this.#open.values()].filter(({ kind }) => kind === 'events')
    const organizationIds = new Set(readers.map(({ caller }) => caller.organizationId))
    const newest = new Map<string, number | null>()
    for (const organizationId of organizationIds) {
      const position = await givePositions(this.#options.sql, organizationId)
      newest.set(organizationId, position)
      if (position === this.#newest.get(organizationId)) continue
      this.#notify('events', organizationId)
    }
    this.#newest = newest
  }

  /** This also detects a broken connection. */
  async #readAll(): Promise<void> {
    await this.#session?.use((session) => session.query('select'))
    this.#notify('notifications', null)
  }

  async #endUnauthorized(): Promise<void> {
    const open = [...this.#open]
    const callers = open.map(([, { caller }]) => ({
      apiKeyId: caller.keyId,
      sessionId: caller.consoleSessionId,
    }))
    const reasons = await this.#options.findEnded(callers)
    for (const [i, [news, { toError }]] of open.entries()) {
      const reason = reasons[i]
      if (reason) news.end(toError(reason))
    }
  }

  #stop(): void {
    const ended = this.#resources
    this.#resources = new AsyncDisposableStack()
    this.#session = null
    this.#closing = this.#closing.then(() => ended.disposeAsync()).catch(this.#options.onError)
  }

  async [Symbol.asyncDispose]() {
    this.#isClosed = true
    // Clients reconnect after a broken connection, but not after a completed stream.
    for (const [news, { disconnect, toError }] of [...this.#open]) {
      disconnect()
      news.end(toError('shutting down'))
    }
    await this.#closing
  }
}

function shuttingDown(): DomainError {
  return new DomainError('unavailable', 'This process is shutting down. Connect again.')
}
