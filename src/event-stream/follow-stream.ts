import type { Sql } from '../db/client.ts'
import { type Cursor, isBefore } from './cursor.ts'
import type { MatchEvent } from './event-matcher.ts'
import { readBounds } from './event-stream.ts'
import { readStream } from './read-stream.ts'
import type { StreamEvent } from './stream-event.ts'
import type { StreamWindow } from './stream-window.ts'

/** The events that a reader looks at before it looks at the window again. */
const MAX_BATCH = 500

export interface FollowOptions {
  readonly sql: Sql
  readonly organizationId: string
  readonly window: StreamWindow
  /** Emits when the window has something new, and throws when the stream ends. */
  readonly news: AsyncIterator<unknown>
  /** Where to begin. Null: now. */
  readonly after: Cursor | null
  /** Called before each batch, because what a reader may see can change. */
  readonly matcher: () => MatchEvent | Promise<MatchEvent>
  /** The error for events that are gone. */
  readonly gone: () => Error
}

/**
 * The events after a cursor, and then those that come. A reader holds a batch and its place: it reads from the window, or
 * from Postgres while it is behind, so that a slow client delays nobody.
 */
export function followStream(options: FollowOptions): AsyncIterableIterator<StreamEvent> {
  const events = readEvents(options, options.after ?? options.window.newest)
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

async function* readEvents(
  { sql, organizationId, window, news, matcher, gone }: FollowOptions,
  start: Cursor,
): AsyncGenerator<StreamEvent, undefined> {
  let cursor = start
  try {
    for (;;) {
      const recent = window.eventsAfter(cursor, MAX_BATCH)
      const events = recent ?? (await readBehind(cursor))
      if (events.length === 0 && recent !== null) {
        const { done } = await news.next()
        if (done) return
        continue
      }
      const matches = await matcher()
      for (const event of events) {
        cursor = event
        if (await matches(event)) yield event
      }
    }
  } finally {
    await news.return?.()
  }

  async function readBehind(from: Cursor): Promise<readonly StreamEvent[]> {
    const { events, next, missing } = await readStream(sql, organizationId, from, {
      maxEvents: MAX_BATCH,
    })
    if (missing.length > 0 || events.length === 0) throw gone()
    cursor = next
    return events
  }
}

/** Throws if events after the cursor are no longer kept. */
export async function requireKept(
  sql: Sql,
  organizationId: string,
  cursor: Cursor,
  gone: () => Error,
): Promise<void> {
  const { beginsAfter } = await readBounds(sql, organizationId)
  if (isBefore(cursor, beginsAfter)) throw gone()
}
