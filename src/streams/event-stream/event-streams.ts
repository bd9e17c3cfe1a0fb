import type { Actor } from '../../auth/access/actor.ts'
import { type Caller, credentialOf, requireScope } from '../../auth/access/scope.ts'
import type { Sql } from '../../db/client.ts'
import { DomainError } from '../../lib/errors.ts'
import type { LiveItem, Topic } from '../live/feed.ts'
import type { LiveHub } from '../live/hub.ts'
import type { EndReason } from '../live/stream.ts'
import { acknowledgeEvents } from './consumers/leases.ts'
import { type PulledEvents, type PullRequest, pullEvents } from './consumers/pull-events.ts'
import { type Cursor, isBefore, parseCursor } from './cursor.ts'
import {
  createSelect,
  type GivenSelection,
  readSelection,
  type SelectEvents,
  selectOfWebhook,
} from './event-matcher.ts'
import { createUseStream, givePositions, readBounds, type UseStream } from './event-stream.ts'
import type { StreamEvent } from './read-stream.ts'
import { isReadable, readEvents, readStream } from './read-stream.ts'

/** Who reads events. */
export interface Reader {
  readonly caller: Caller
  readonly actor: Actor
  /** Aborts when the client leaves. */
  readonly signal?: AbortSignal | undefined
  /** Breaks the client's connection. */
  readonly disconnect: () => void
  /** The error that ends a stream. */
  readonly toError: (reason: EndReason) => Error
}

export interface StreamRequest extends GivenSelection {
  /** The cursor of an event. Null: the stream begins now. */
  readonly after?: string | null | undefined
}

/** The events of organizations, for those who follow or ask for them. */
export interface EventStreams {
  /** Resolves once the stream gets all later events. */
  subscribe(reader: Reader, request: StreamRequest): Promise<AsyncIterableIterator<StreamEvent>>
  pull(reader: Reader, request: PullRequest): Promise<PulledEvents>
  /** Returns how many events were acknowledged. */
  acknowledge(reader: Reader, consumer: string, lease: string): Promise<number>
  /** The event with this uuid, or null, as for an erased one. It need not be in the stream, so it has no cursor there. */
  find(reader: Reader, uuid: string): Promise<StreamEvent | null>
}

export function createEventStreams({
  sql,
  live,
}: {
  readonly sql: Sql
  readonly live: LiveHub
}): EventStreams {
  const useStream = createUseStream(sql)
  const topic = createStreamTopic(useStream)

  function openNews({ caller, disconnect, toError }: Reader) {
    return live.subscribe({
      organizationId: caller.organizationId,
      apiKeyId: caller.keyId,
      sessionId: caller.consoleSessionId,
      topic,
      webhookId: null,
      filter: () => true,
      after: null,
      toError,
      disconnect,
    })
  }

  return {
    async subscribe(reader, request) {
      const { caller, toError } = reader
      const { organizationId } = caller
      requireScope(caller, 'events:read')
      const visible = visibleTo(sql, caller)
      const select = createSelect(sql, readSelection(request))
      const given = request.after == null ? null : parseCursor(request.after, 'after')
      const gone = () => toError('missed too much')
      await useStream(organizationId)
      await givePositions(sql, organizationId)
      const { beginsAfter, newest } = await readBounds(sql, organizationId)
      if (given && isBefore(given, beginsAfter)) throw gone()
      const news = await openNews(reader)
      return followStream({
        sql,
        organizationId,
        news,
        after: given ?? newest,
        gone,
        async select(events) {
          const selected = await select(events)
          return visible === null ? selected : await visible(selected)
        },
      })
    },

    async pull(reader, request) {
      const { caller, actor, signal } = reader
      requireWholeOrganization(caller)
      const deps = { sql, useStream, actor, signal, openNews: () => openNews(reader) }
      return await pullEvents(deps, caller.organizationId, request)
    },

    async acknowledge({ caller }, consumer, lease) {
      requireWholeOrganization(caller)
      return await acknowledgeEvents(sql, caller.organizationId, consumer, lease)
    },

    async find({ caller }, uuid) {
      requireScope(caller, 'events:read')
      const [found] = await readEvents(sql, caller.organizationId, [uuid])
      if (!isReadable(found)) return null
      const event = { ...found, position: 0, index: 0 }
      const visible = visibleTo(sql, caller)
      return visible === null || (await visible([event])).length > 0 ? event : null
    },
  }
}

/** Null: the caller sees all events of its organization. */
function visibleTo(sql: Sql, caller: Caller): SelectEvents | null {
  const { session, organizationId } = caller
  if (!session || session.webhookId === null) return null
  return selectOfWebhook(sql, organizationId, session.webhookId)
}

/** Consumers belong to the organization: whoever pulls takes events from others. */
function requireWholeOrganization(caller: Caller): void {
  requireScope(caller, 'events:read')
  if (!caller.session) return
  throw forbidden(
    `A ${credentialOf(caller)} cannot use consumers, which belong to the organization. Subscribe to \`events\`, or use an API key.`,
  )
}

function forbidden(message: string): DomainError {
  return new DomainError('forbidden', message)
}

/** What a reader holds at a time: a slow client holds it for long. The first event can have more bytes. */
const PAGE = { maxEvents: 500, maxBytes: 256 * 1024 }

interface FollowOptions {
  readonly sql: Sql
  readonly organizationId: string
  /** Emits when the stream has something new, and throws when it ends. */
  readonly news: AsyncIterator<unknown>
  /** The last event before the first one. */
  readonly after: Cursor
  /** Called with each page, because what a reader may see can change. */
  readonly select: SelectEvents
  /** The error for events that are gone. */
  readonly gone: () => Error
}

/** The events after a cursor, and then those that come. A reader holds a page and its place: a slow client delays nobody. */
function followStream(options: FollowOptions): AsyncIterableIterator<StreamEvent> {
  const events = followPages(options)
  return {
    next: () => events.next(),
    // A generator that waits for news ends only with the next news.
    async return() {
      await options.news.return?.()
      return await events.return(undefined)
    },
    [Symbol.asyncIterator]() {
      return this
    },
  }
}

async function* followPages({
  sql,
  organizationId,
  news,
  after,
  select,
  gone,
}: FollowOptions): AsyncGenerator<StreamEvent, undefined> {
  let cursor = after
  try {
    for (;;) {
      const { events, next, missing } = await readStream(sql, organizationId, cursor, PAGE)
      if (missing.length > 0) throw gone()
      if (!isBefore(cursor, next)) {
        const { done } = await news.next()
        if (done) return
        continue
      }
      cursor = next
      yield* await select(events)
    }
  } finally {
    await news.return?.()
  }
}

/** How long what comes after the first event waits for others, so that readers read them together. */
const REST_MS = 25

/** Events that SQL publishes come without a notification: those who notify would wait for each other's commits. */
const POLL_MS = 250

/** Looks for new events of the organizations that have streams in this process, once for all streams of each. */
function createStreamTopic(useStream: UseStream): Topic {
  const news: LiveItem = { webhookId: '', position: null }
  return {
    name: 'events',
    restMs: REST_MS,
    pollMs: POLL_MS,
    onlyNewest: true,
    follow(sql, organizationId) {
      let newest: Cursor | undefined
      return async function* () {
        // A reader that stays connected for as long as events are kept still uses the stream.
        await useStream(organizationId)
        await givePositions(sql, organizationId)
        const bounds = await readBounds(sql, organizationId)
        if (bounds.newest.position === newest?.position) return
        newest = bounds.newest
        yield [news]
      }
    },
  }
}
