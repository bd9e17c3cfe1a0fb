import type { Sql } from '../../db/client.ts'
import type { Cursor } from './cursor.ts'

/** An event of the stream. */
export interface StreamEvent extends Cursor {
  /** A uuid. */
  readonly id: string
  readonly type: string
  readonly occurredAt: Date
  /** The exact JSON text that was published. */
  readonly data: string
  /** The JSON text of `data` before the change. Null: not given. */
  readonly previous: string | null
}

/** How much memory an event takes, roughly. */
export function bytesOf({ data, previous }: StreamEvent): number {
  return EVENT_BYTES + 2 * (data.length + (previous?.length ?? 0))
}

const EVENT_BYTES = 400

export interface StreamPage {
  readonly events: readonly StreamEvent[]
  /** Where to go on. */
  readonly next: Cursor
  /** Whether there were no more events with a position. */
  readonly isEnd: boolean
  /** The places of events that are gone, at the end of their retention. */
  readonly missing: readonly Cursor[]
}

/** The largest page. Its first event can have more bytes. */
const MAX_EVENTS = 1_000
const MAX_BYTES = 4 * 1024 * 1024

export interface PageSize {
  readonly maxEvents?: number
  readonly maxBytes?: number
}

/** Events of the organization after a cursor, in the order of their positions. */
export async function readStream(
  sql: Sql,
  organizationId: string,
  after: Cursor,
  { maxEvents = MAX_EVENTS, maxBytes = MAX_BYTES }: PageSize = {},
): Promise<StreamPage> {
  const { rows: places } = await sql.query<Cursor & { id: string }>({
    name: 'read_stream_places',
    text: READ_PLACES,
    values: [organizationId, after.position, after.index, maxEvents + 1],
  })
  const page = places.slice(0, maxEvents)
  const found = await readEvents(
    sql,
    organizationId,
    page.map(({ id }) => id),
    maxBytes,
  )
  const read = page.slice(0, found.length)
  const events = found.flatMap((event, i) => {
    const { position, index } = read[i] as Cursor
    return isReadable(event) ? [{ ...event, position, index }] : []
  })
  const last = read.at(-1)
  return {
    events,
    next: last ? { position: last.position, index: last.index } : after,
    isEnd: read.length === places.length,
    missing: read.filter((_, i) => found[i] === null),
  }
}

/**
 * Batches have at least one event. Those that are not needed are counted, but not opened. The index on
 * (organization_id, position) serves it.
 */
const READ_PLACES = `
  select b.position::float8 as position, e.n::int - 1 as index, e.id
  from (
    select position, event_ids, sum(cardinality(event_ids)) over (order by position) - cardinality(event_ids) as before
    from (
      select position, event_ids from posthorn.published_batches
      where organization_id = $1 and position >= $2
      order by position limit $4 + 1
    ) as first
  ) as b
  cross join lateral unnest(b.event_ids) with ordinality as e (id, n)
  where b.before <= $4 + $3::int + 1 and (b.position > $2 or e.n > $3::int + 1)
  order by b.position, e.n limit $4`

export type FoundEvent = Omit<StreamEvent, keyof Cursor>

/** Null: the event is gone. */
export type StoredEvent = FoundEvent | 'erased' | null

/** Streams leave out erased events, and do not count them as missed: somebody wanted them to be forgotten. */
export function isReadable(event: StoredEvent | undefined): event is FoundEvent {
  return event != null && event !== 'erased'
}

/** The events in the order of their uuids, up to a size of their texts: at least the first. */
export async function readEvents(
  sql: Sql,
  organizationId: string,
  uuids: readonly string[],
  maxBytes = MAX_BYTES,
): Promise<StoredEvent[]> {
  if (uuids.length === 0) return []
  const { rows } = await sql.query<FoundEvent & { isFound: boolean; isErased: boolean }>({
    name: 'read_stream_events',
    text: READ_EVENTS,
    values: [organizationId, uuids, maxBytes],
  })
  return rows.map(({ isFound, isErased, ...event }) =>
    isErased ? 'erased' : isFound ? event : null,
  )
}

/** The length of compressed texts is known without the texts. The primary key serves it. */
const READ_EVENTS = `
  select id, type, occurred_at as "occurredAt", data, previous, is_found as "isFound",
    is_erased as "isErased"
  from (
    select given.n, given.id, e.id is not null as is_found, e.erased_at is not null as is_erased, e.type, e.occurred_at, e.data, e.previous,
      coalesce(octet_length(e.data), 0) + coalesce(octet_length(e.previous), 0) as bytes,
      sum(coalesce(octet_length(e.data), 0) + coalesce(octet_length(e.previous), 0)) over (order by given.n) as total
    from unnest($2::uuid[]) with ordinality as given (id, n)
    left join posthorn.events as e on e.id = given.id and e.organization_id = $1
  ) as sized
  where n = 1 or total <= $3
  order by n`
