import type { Sql } from '../db/client.ts'
import { type Cursor, isBefore } from './cursor.ts'
import type { SelectEvents } from './event-matcher.ts'
import { readStream } from './read-stream.ts'
import type { StreamEvent } from './stream-event.ts'

/** What a reader holds at a time: a slow client holds it for long. The first event can have more bytes. */
const PAGE = { maxEvents: 500, maxBytes: 256 * 1024 }

export interface FollowOptions {
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
export function followStream(options: FollowOptions): AsyncIterableIterator<StreamEvent> {
  const events = readEvents(options)
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

async function* readEvents({
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
