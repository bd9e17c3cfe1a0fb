import type { Actor } from '../../auth/access/actor.ts'
import { type Caller, requireScope } from '../../auth/access/scope.ts'
import type { Sql } from '../../db/client.ts'
import type { LiveHub, Subscriber } from '../live/hub.ts'
import type { News } from '../live/news.ts'
import { type Cursor, isBefore, parseCursor, printCursor } from './cursor.ts'
import { type EventSelection, type GivenSelection, readSelection } from './event-matcher.ts'
import { readBounds } from './event-stream.ts'
import { type EventScope, readStream, type StreamEvent } from './read-stream.ts'

/** Where events are read. */
export interface StreamDeps {
  readonly sql: Sql
  readonly live: LiveHub
}

/** Who reads events. */
export interface Reader extends Subscriber {
  readonly caller: Caller
  readonly actor: Actor
  /** Aborts when the client leaves. */
  readonly signal?: AbortSignal | undefined
}

export interface StreamRequest extends GivenSelection {
  /** The cursor of an event. Null: the stream begins now. */
  readonly after?: string | null | undefined
}

/** Those of the events that the caller may see: a session of one webhook sees what the webhook gets. Throws `forbidden`. */
export function scopeOf(caller: Caller, selection: EventSelection | null): EventScope {
  requireScope(caller, 'events:read')
  const { organizationId, session } = caller
  return { organizationId, webhookId: session?.webhookId ?? null, selection }
}

/** Resolves once the stream gets all later events. */
export async function followEvents(
  { sql, live }: StreamDeps,
  reader: Reader,
  request: StreamRequest,
): Promise<AsyncIterableIterator<StreamEvent>> {
  const scope = scopeOf(reader.caller, readSelection(request))
  const given = request.after == null ? null : parseCursor(request.after, 'after')
  return await live.open(reader, 'events', async (news) => {
    const { beginsAfter, newest } = await readBounds(sql, scope.organizationId)
    const gone = reader.toError('events are gone')
    if (given && isBefore(given, beginsAfter)) throw gone
    return news.stream(follow(sql, news, scope, given ?? newest, gone))
  })
}

/** What a reader holds at a time: a slow client holds it for long. The first event can have more bytes. */
const PAGE = { maxEvents: 500, maxBytes: 256 * 1024 }

/** The events after a cursor, and then those that come. A client holds a page and its place: a slow one delays nobody. */
async function* follow(
  sql: Sql,
  news: News,
  scope: EventScope,
  after: Cursor,
  gone: Error,
): AsyncGenerator<StreamEvent, void> {
  const key = JSON.stringify(scope)
  for (let cursor = after; ; ) {
    const from = cursor
    const read = () => readStream(sql, scope, from, PAGE)
    const { events, next, isEnd, hasGaps } = await news.read(`${printCursor(from)} ${key}`, read)
    if (hasGaps) throw gone
    cursor = next
    yield* events
    if (isEnd && !(await news.next())) return
  }
}
