import type { Sql } from '../db/client.ts'
import { unavailable } from '../db/unavailable.ts'
import { DomainError } from '../lib/errors.ts'
import { describeRequest } from '../telemetry/request-log.ts'
import { createHealthWatch } from './health-watch.ts'
import { type Listener, startListener } from './listener.ts'
import type { LiveEvent } from './live-event.ts'
import { openMissed, type ResumePoint } from './missed.ts'
import { type EndReason, type StreamItem, Subscriber } from './subscriber.ts'

export interface HubDeps {
  readonly databaseUrl: string
  readonly sql: Sql
  /** Returns the uuids of those API keys that are revoked or expired. */
  readonly findInactiveKeys: (keyIds: string[]) => Promise<Map<string, 'revoked' | 'expired'>>
  /** Returns the uuids of those console sessions that have ended. */
  readonly findEndedSessions: (sessionIds: string[]) => Promise<Set<string>>
  readonly onError: (error: unknown) => void
}

export interface Subscription {
  readonly organizationId: string
  readonly apiKeyId: string
  /** The console session that opened the subscription. Null: an API key or another session. */
  readonly sessionId: string | null
  readonly filter: (liveEvent: LiveEvent) => boolean
  /** Where the stream begins. Default: now. */
  readonly resume?: ResumePoint | undefined
  /** Whether the stream needs changes of health, which cost a watch of the organization's webhooks. */
  readonly needsHealth: boolean
  readonly toError: (reason: EndReason) => Error
  /** Breaks the client's connection. */
  readonly disconnect: () => void
}

/** All streams of this process. They share one connection to Postgres, which is open while there are streams. */
export interface LiveHub extends AsyncDisposable {
  /** The number of open streams. */
  readonly size: number
  /**
   * Resolves once the stream gets all later live events. Throws if the API key has `MAX_STREAMS_PER_KEY` streams, if a
   * resumed stream missed more than `MAX_MISSED` events, and `unavailable` if Postgres cannot be reached.
   */
  subscribe(subscription: Subscription): Promise<AsyncIterableIterator<StreamItem>>
}

/** Streams of one API key in one process. */
export const MAX_STREAMS_PER_KEY = 100

const CHECK_KEYS_EVERY_MS = 2_000

/** A client that does not read the error of its ended stream within this time is disconnected. */
const DISCONNECT_AFTER_MS = 10_000

export function createLiveHub(deps: HubDeps): LiveHub {
  const subscribers = new Map<Subscriber, Subscription>()
  let listener: Listener | null = null
  let timer: NodeJS.Timeout | undefined
  let closed = false
  const closing = new Set<Promise<void>>()
  const health = createHealthWatch(deps.sql)

  function start(): Listener {
    timer = setInterval(() => endUnauthorizedStreams().catch(deps.onError), CHECK_KEYS_EVERY_MS)
    timer.unref()
    return startListener({
      ...deps,
      organizationIds: () => [...new Set(idsOfSubscribers('organizationId'))],
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

  async function endUnauthorizedStreams(): Promise<void> {
    const sessionIds = [...subscribers.values()].flatMap(({ sessionId }) => sessionId ?? [])
    const [inactiveKeys, endedSessions] = await Promise.all([
      deps.findInactiveKeys([...new Set(idsOfSubscribers('apiKeyId'))]),
      sessionIds.length > 0 ? deps.findEndedSessions([...new Set(sessionIds)]) : new Set<string>(),
    ])
    for (const [subscriber, { sessionId }] of [...subscribers]) {
      const reason = inactiveKeys.get(subscriber.apiKeyId)
      if (reason) subscriber.end(reason)
      else if (sessionId && endedSessions.has(sessionId)) subscriber.end('signed out')
    }
  }

  function idsOfSubscribers(name: 'organizationId' | 'apiKeyId'): string[] {
    return [...subscribers.keys()].map((subscriber) => subscriber[name])
  }

  function onEnd(subscriber: Subscriber, subscription: Subscription, reason: EndReason | null) {
    subscribers.delete(subscriber)
    if (reason) {
      setTimeout(() => {
        if (!subscriber.finished) subscription.disconnect()
      }, DISCONNECT_AFTER_MS).unref()
    }
    const { organizationId } = subscriber
    const rest = [...subscribers.values()].filter(
      (other) => other.organizationId === organizationId,
    )
    if (!rest.some(({ needsHealth }) => needsHealth)) health.unwatch(organizationId)
    if (subscribers.size === 0) stop()
    else if (rest.length === 0) listener?.update().catch(deps.onError)
  }

  async function startWithMissed(
    subscriber: Subscriber,
    { resume }: Subscription,
    liveFrom: string,
  ): Promise<void> {
    if (!resume) return
    const missed = await openMissed(deps.sql, resume)
    if (!missed) throw new TooMuchMissed()
    subscriber.startWith(missed, liveFrom)
  }

  function stop(): void {
    clearInterval(timer)
    const stopping = listener?.[Symbol.asyncDispose]()
    listener = null
    const stopped = Promise.resolve(stopping)
      .catch(deps.onError)
      .finally(() => closing.delete(stopped))
    closing.add(stopped)
  }

  return {
    get size() {
      return subscribers.size
    },

    async subscribe(subscription) {
      if (closed) throw shuttingDown()
      const { apiKeyId } = subscription
      if (
        idsOfSubscribers('apiKeyId').filter((id) => id === apiKeyId).length >= MAX_STREAMS_PER_KEY
      ) {
        describeRequest({ limit: 'subscriptions' })
        throw subscription.toError('too many')
      }
      const subscriber = new Subscriber({
        ...subscription,
        onEnd: (reason) => onEnd(subscriber, subscription, reason),
      })
      subscribers.set(subscriber, subscription)
      listener ??= start()
      try {
        const liveFrom = await listener.update()
        await startWithMissed(subscriber, subscription, liveFrom)
        // A stream that has ended in the meantime would never end its watch.
        if (subscription.needsHealth && subscribers.has(subscriber))
          await health.watch(subscription.organizationId)
      } catch (error) {
        void subscriber.return()
        if (error instanceof TooMuchMissed) throw subscription.toError('missed too much')
        throw closed ? shuttingDown() : unavailable(error)
      }
      return subscriber
    },

    async [Symbol.asyncDispose]() {
      closed = true
      // Clients reconnect after a broken connection, but not after a completed stream.
      for (const [subscriber, { disconnect }] of [...subscribers]) {
        disconnect()
        subscriber.end('shutting down')
      }
      await Promise.all(closing)
    },
  }
}

class TooMuchMissed extends Error {}

function shuttingDown(): DomainError {
  return new DomainError('unavailable', 'This process is shutting down. Connect again.')
}
