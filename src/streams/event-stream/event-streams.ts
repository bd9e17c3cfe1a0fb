import type { Actor } from '../../auth/access/actor.ts'
import { type Caller, credentialOf, requireScope } from '../../auth/access/scope.ts'
import type { Sql } from '../../db/client.ts'
import { DomainError } from '../../lib/errors.ts'
import type { LiveHub } from '../live/hub.ts'
import type { EndReason } from '../live/news.ts'
import {
  acknowledgeEvents,
  type PulledEvents,
  type PullRequest,
  pullEvents,
} from './consumers/pull-events.ts'
import { type Cursor, isBefore, parseCursor, printCursor } from './cursor.ts'
import { type GivenSelection, printSelectionFilter, readSelection } from './event-matcher.ts'
import { type EventNews, readBounds } from './event-stream.ts'
import { type EventScope, findEvent, readStream, type StreamEvent } from './read-stream.ts'

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
  async function open<Opened>(
    { caller, disconnect, toError }: Reader,
    begin: (opening: EventNews) => Opened,
  ): Promise<Opened> {
    const { organizationId, keyId: apiKeyId, consoleSessionId: sessionId } = caller
    const readNewest = () => readBounds(sql, organizationId)
    const client = { organizationId, apiKeyId, sessionId, polls: true, toError, disconnect }
    return await live.open(client, async (news) => {
      const bounds = await readNewest()
      let { position } = bounds.newest
      async function next(maxMs = Number.POSITIVE_INFINITY): Promise<boolean> {
        const endsAtMs = performance.now() + maxMs
        for (;;) {
          const leftMs = endsAtMs - performance.now()
          if (leftMs <= 0) return true
          if (!(await news.next(leftMs))) return false
          const key = `newest ${organizationId}`
          // A pull fails, and a stream goes on, while Postgres cannot be reached.
          const isStream = maxMs === Number.POSITIVE_INFINITY
          const { newest } = await (isStream
            ? news.read(key, readNewest)
            : news.share(key, readNewest))
          if (newest.position === position) continue
          position = newest.position
          return true
        }
      }
      return begin({ news, bounds, next })
    })
  }

  /** The events after a cursor, and then those that come. A client holds a page and its place: a slow one delays nobody. */
  async function* follow(
    { news, next: nextNews }: EventNews,
    scope: EventScope,
    after: Cursor,
    gone: () => Error,
  ): AsyncGenerator<StreamEvent, void> {
    const key = JSON.stringify(scope, (name, value) =>
      name === 'selection' ? [value.types, printSelectionFilter(value)] : value,
    )
    let cursor = after
    for (;;) {
      const from = cursor
      const read = () => readStream(sql, scope, from, PAGE)
      const { events, next, isEnd, hasGaps } = await news.read(`${printCursor(from)} ${key}`, read)
      if (hasGaps) throw gone()
      cursor = next
      yield* events
      if (isEnd && !(await nextNews())) return
    }
  }

  return {
    async subscribe(reader, request) {
      const { caller, toError } = reader
      requireScope(caller, 'events:read')
      const scope = { ...seenBy(caller), selection: readSelection(request) }
      const given = request.after == null ? null : parseCursor(request.after, 'after')
      return await open(reader, (opening) => {
        const gone = () => toError('missed too much')
        const { beginsAfter, newest } = opening.bounds
        if (given && isBefore(given, beginsAfter)) throw gone()
        return opening.news.stream(follow(opening, scope, given ?? newest, gone))
      })
    },

    async pull(reader, request) {
      const { caller, actor, signal } = reader
      requireWholeOrganization(caller)
      const openNews = () => open(reader, (opening) => opening)
      const deps = { sql, actor, signal, openNews }
      return await pullEvents(deps, caller.organizationId, request)
    },

    async acknowledge({ caller }, consumer, lease) {
      requireWholeOrganization(caller)
      return await acknowledgeEvents(sql, caller.organizationId, consumer, lease)
    },

    async find({ caller }, uuid) {
      requireScope(caller, 'events:read')
      return await findEvent(sql, { ...seenBy(caller), selection: null }, uuid)
    },
  }
}

function seenBy({ organizationId, session }: Caller) {
  return { organizationId, webhookId: session?.webhookId ?? null }
}

/** Consumers belong to the organization: an event that one program pulls is not given to the others. */
function requireWholeOrganization(caller: Caller): void {
  requireScope(caller, 'events:read')
  if (!caller.session) return
  const message = `A ${credentialOf(caller)} cannot use consumers, which belong to the organization. Subscribe to \`events\`, or use an API key.`
  throw new DomainError('forbidden', message)
}

/** What a reader holds at a time: a slow client holds it for long. The first event can have more bytes. */
const PAGE = { maxEvents: 500, maxBytes: 256 * 1024 }
