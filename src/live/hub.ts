import type { Sql } from '../db/client.ts'
import { DomainError, unavailable } from '../lib/errors.ts'
import { createHealthWatch } from './health-watch.ts'
import { type Listener, startListener } from './listener.ts'
import type { LiveEvent } from './live-event.ts'
import { type EndReason, type StreamItem, Subscriber } from './subscriber.ts'

export interface HubDeps {
  readonly databaseUrl: string
  readonly sql: Sql
  /** Of these API keys, those that were revoked or expired, by their uuids. */
  readonly findInactiveKeys: (keyIds: string[]) => Promise<Map<string, 'revoked' | 'expired'>>
  /** Of these sessions of the console, those that are over, by their uuids. */
  readonly findEndedSessions: (sessionIds: string[]) => Promise<Set<string>>
  readonly onError: (error: unknown) => void
}

export interface Subscription {
  readonly organizationId: string
  readonly apiKeyId: string
  /** The session of the console that it was begun in. */
  readonly sessionId?: string | undefined
  readonly wants: (liveEvent: LiveEvent) => boolean
  /** Whether it hears of health, which is found out from the attempts. */
  readonly ofHealth: boolean
  readonly toError: (reason: EndReason) => Error
  /** Breaks the client's connection. */
  readonly cut: () => void
}

/** All the streams of this process. They share one connection to Postgres, which is there while there are streams. */
export interface LiveHub extends AsyncDisposable {
  /**
   * Resolves once nothing that happens from then on is missed. Throws when the key has too many streams in this
   * process, and `unavailable` when Postgres cannot be reached.
   */
  subscribe(subscription: Subscription): Promise<AsyncIterableIterator<StreamItem>>
}

/** The streams of one API key in one process. */
export const MAX_STREAMS_PER_KEY = 100

const CHECK_KEYS_EVERY_MS = 2_000

/** A client that does not even read that it fell behind is given up. */
const CUT_AFTER_MS = 10_000

export function createLiveHub(deps: HubDeps): LiveHub {
  const subscribers = new Map<Subscriber, Subscription>()
  let listener: Listener | null = null
  let timer: NodeJS.Timeout | undefined
  let closed = false
  const closing = new Set<Promise<void>>()
  const health = createHealthWatch(deps.sql)

  function start(): Listener {
    timer = setInterval(() => endStreamsOfEnded().catch(deps.onError), CHECK_KEYS_EVERY_MS)
    timer.unref()
    return startListener({
      ...deps,
      organizationIds: () => [...new Set(ids('organizationId'))],
      onLiveEvents: async (liveEvents) => dispatch(await withHealth(liveEvents)),
    })
  }

  async function withHealth(liveEvents: readonly LiveEvent[]): Promise<readonly LiveEvent[]> {
    const changes = await health.changes(liveEvents)
    return [...liveEvents.filter(({ kind }) => kind !== 'health'), ...changes]
  }

  function dispatch(liveEvents: readonly LiveEvent[]): void {
    const byOrganization = Map.groupBy(liveEvents, ({ organizationId }) => organizationId)
    for (const subscriber of [...subscribers.keys()]) {
      const own = byOrganization.get(subscriber.organizationId)
      if (own) subscriber.push(own)
    }
  }

  async function endStreamsOfEnded(): Promise<void> {
    const sessionIds = [...subscribers.values()].flatMap(({ sessionId }) => sessionId ?? [])
    const [endedKeys, endedSessions] = await Promise.all([
      deps.findInactiveKeys([...new Set(ids('apiKeyId'))]),
      sessionIds.length > 0 ? deps.findEndedSessions([...new Set(sessionIds)]) : new Set<string>(),
    ])
    for (const [subscriber, { sessionId }] of [...subscribers]) {
      const reason = endedKeys.get(subscriber.apiKeyId)
      if (reason) subscriber.end(reason)
      else if (sessionId && endedSessions.has(sessionId)) subscriber.end('signed out')
    }
  }

  function ids(of: 'organizationId' | 'apiKeyId'): string[] {
    return [...subscribers.keys()].map((subscriber) => subscriber[of])
  }

  function onEnd(subscriber: Subscriber, subscription: Subscription, reason: EndReason | null) {
    subscribers.delete(subscriber)
    if (reason) {
      setTimeout(() => {
        if (!subscriber.finished) subscription.cut()
      }, CUT_AFTER_MS).unref()
    }
    const { organizationId } = subscriber
    const rest = [...subscribers.values()].filter((one) => one.organizationId === organizationId)
    if (!rest.some(({ ofHealth }) => ofHealth)) health.unwatch(organizationId)
    if (subscribers.size === 0) stop()
    else if (rest.length === 0) listener?.update().catch(deps.onError)
  }

  function stop(): void {
    clearInterval(timer)
    const stopping = listener?.[Symbol.asyncDispose]()
    listener = null
    const done = Promise.resolve(stopping)
      .catch(deps.onError)
      .finally(() => closing.delete(done))
    closing.add(done)
  }

  return {
    async subscribe(subscription) {
      if (closed) throw shuttingDown()
      const { apiKeyId } = subscription
      if (ids('apiKeyId').filter((id) => id === apiKeyId).length >= MAX_STREAMS_PER_KEY) {
        throw subscription.toError('too many')
      }
      const subscriber = new Subscriber({
        ...subscription,
        onEnd: (reason) => onEnd(subscriber, subscription, reason),
      })
      subscribers.set(subscriber, subscription)
      listener ??= start()
      try {
        await listener.update()
        if (subscription.ofHealth) await health.watch(subscription.organizationId)
      } catch (error) {
        void subscriber.return()
        throw closed ? shuttingDown() : unavailable(error)
      }
      return subscriber
    },

    async [Symbol.asyncDispose]() {
      closed = true
      // Cut, not completed: clients take the end of a broken connection as a reason to connect again.
      for (const [subscriber, { cut }] of [...subscribers]) {
        cut()
        subscriber.end('shutting down')
      }
      await Promise.all(closing)
    },
  }
}

function shuttingDown(): DomainError {
  return new DomainError('unavailable', 'This process is shutting down. Connect again.')
}
