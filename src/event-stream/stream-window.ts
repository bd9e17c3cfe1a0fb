import type { Sql } from '../db/client.ts'
import { type Cursor, isBefore } from './cursor.ts'
import { readBounds } from './event-stream.ts'
import { givePositions } from './give-positions.ts'
import { readStream } from './read-stream.ts'
import { bytesOf, type StreamEvent } from './stream-event.ts'

/** Of one window, if there are few. */
const MAX_BYTES = 8 * 1024 * 1024
const MAX_EVENTS = 10_000

interface Look {
  readonly isWaiting: boolean
  readonly isNew: boolean
  /** Counts up. */
  readonly erasures: number
}

/**
 * The recent events of one organization, loaded and parsed once for all subscribers of the process. Those that are behind
 * read from Postgres.
 */
export class StreamWindow {
  readonly #sql: Sql
  readonly #organizationUuid: string
  readonly #maxBytes: () => number
  #events: StreamEvent[] = []
  #bytes = 0
  /** The window has all events after this one, up to `newest`. */
  #after: Cursor | null = null
  #newest: Cursor | null = null
  #erasures = 0

  constructor(sql: Sql, organizationId: string, maxBytes: () => number) {
    this.#sql = sql
    this.#maxBytes = maxBytes
    this.#organizationUuid = organizationId
  }

  /** The newest event that was read. */
  get newest(): Cursor {
    if (this.#newest === null) throw new Error('The window was not filled yet.')
    return this.#newest
  }

  /** Reads what is new. Returns whether there was anything. */
  async fill(): Promise<boolean> {
    if (this.#newest === null) return await this.#begin()
    const { isWaiting, isNew, erasures } = await this.#look(this.#newest)
    if (erasures !== this.#erasures) this.#forget(erasures)
    if (isWaiting) await givePositions(this.#sql, this.#organizationUuid)
    if (!isWaiting && !isNew) return false
    for (;;) {
      const { events, next, isEnd } = await readStream(
        this.#sql,
        this.#organizationUuid,
        this.newest,
      )
      this.#append(events)
      this.#newest = next
      if (isEnd) return true
    }
  }

  /** Up to `max` events after a cursor. Null if the window no longer has all of them. */
  eventsAfter(cursor: Cursor, max: number): readonly StreamEvent[] | null {
    if (this.#after === null || isBefore(cursor, this.#after)) return null
    const start = this.#indexAfter(cursor)
    return this.#events.slice(start, start + max)
  }

  async #begin(): Promise<boolean> {
    await givePositions(this.#sql, this.#organizationUuid)
    const { newest, erasures } = await readBounds(this.#sql, this.#organizationUuid)
    this.#erasures = erasures
    this.#after = newest
    this.#newest = newest
    return true
  }

  /** Both indexes of the batches serve it. */
  async #look({ position }: Cursor): Promise<Look> {
    const { rows } = await this.#sql.query<Look>({
      name: 'look_for_stream_events',
      text: `
        select
          exists (select from posthorn.published_batches
            where organization_id = $1 and position is null) as "isWaiting",
          exists (select from posthorn.published_batches
            where organization_id = $1 and position > $2) as "isNew",
          coalesce((select erasures from posthorn.event_streams where organization_id = $1), 0)::float8 as erasures`,
      values: [this.#organizationUuid, position],
    })
    return rows[0] as Look
  }

  /** Events were erased. Subscribers that are behind read the others from Postgres. */
  #forget(erasures: number): void {
    this.#events = []
    this.#bytes = 0
    this.#after = this.#newest
    this.#erasures = erasures
  }

  #append(events: readonly StreamEvent[]): void {
    for (const event of events) {
      this.#events.push(event)
      this.#bytes += bytesOf(event)
    }
    const maxBytes = Math.min(MAX_BYTES, this.#maxBytes())
    let dropped = 0
    while (this.#bytes > maxBytes || this.#events.length - dropped > MAX_EVENTS) {
      const oldest = this.#events[dropped] as StreamEvent
      this.#bytes -= bytesOf(oldest)
      this.#after = oldest
      dropped += 1
    }
    if (dropped > 0) this.#events = this.#events.slice(dropped)
  }

  /** The index of the first event after a cursor. */
  #indexAfter(cursor: Cursor): number {
    let [low, high] = [0, this.#events.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (isBefore(cursor, this.#events[middle] as StreamEvent)) high = middle
      else low = middle + 1
    }
    return low
  }
}
