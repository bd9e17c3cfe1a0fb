import type { Sql } from '../../db/client.ts'
import { compileFilter } from '../../events/filters/compile-filter.ts'
import { MAX_STEPS } from '../../lib/work-budget.ts'
import type { Cursor } from './cursor.ts'
import type { EventSelection } from './event-matcher.ts'

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

/** Which events a reader gets. */
export interface EventScope {
  readonly organizationId: string
  /** A session of a webhook sees the events to which the webhook subscribes, and that its filter lets through. Null: all. */
  readonly webhookId: string | null
  /** Null: all. */
  readonly selection: EventSelection | null
}

export interface PageSize {
  readonly maxEvents: number
  /** Of their texts. The first event can have more. */
  readonly maxBytes: number
}

export interface StreamPage {
  readonly events: readonly StreamEvent[]
  /** Where to go on. */
  readonly next: Cursor
  /** Whether there were no more events with a position. */
  readonly isEnd: boolean
  /** The number of events that were read, with those that the reader does not get. */
  readonly scanned: number
  /** How many of them are gone, at the end of their retention. Somebody wanted erased events to be forgotten: they do not count. */
  readonly missed: number
}

/** Events that one statement looks at. */
const MAX_SCANNED = 1_000

/** The events of the organization after a cursor, in the order of their positions. */
export async function readStream(
  sql: Sql,
  scope: EventScope,
  { position, index }: Cursor,
  size: PageSize,
): Promise<StreamPage> {
  const { rows } = await sql.query<Row>({
    name: 'read_stream',
    text: readFrom(STREAM_PLACES),
    values: [...valuesOf(scope, size), position, index, MAX_SCANNED],
  })
  const last = rows.at(-1)
  return {
    events: toEvents(rows),
    next: last ? { position: last.position, index: last.index } : { position, index },
    isEnd: rows.length < MAX_SCANNED && rows.length === (last?.places ?? 0),
    scanned: rows.length,
    missed: rows.filter(({ isGone }) => isGone).length,
  }
}

/**
 * Batches have at least one event. Those that are not needed are counted, but not opened. The index on
 * (organization_id, position) serves it.
 */
const STREAM_PLACES = `
  select b.position::float8 as position, e.n::int - 1 as index, e.id
  from (
    select position, event_ids, sum(cardinality(event_ids)) over (order by position) - cardinality(event_ids) as before
    from (
      select position, event_ids from posthorn.published_batches
      where organization_id = $1 and position >= $10
      order by position limit $12 + 1
    ) as first
  ) as b
  cross join lateral unnest(b.event_ids) with ordinality as e (id, n)
  where b.before <= $12 + $11::int + 1 and (b.position > $10 or e.n > $11::int + 1)
  order by b.position, e.n limit $12`

/** An event with its place. */
export interface PlacedEvent extends Cursor {
  /** A uuid. */
  readonly id: string
}

/** Those of the events that are still there, and that a reader gets. */
export async function readEvents(
  sql: Sql,
  scope: EventScope,
  places: readonly PlacedEvent[],
): Promise<StreamEvent[]> {
  const size = { maxEvents: places.length, maxBytes: Number.MAX_SAFE_INTEGER }
  const { rows } = await sql.query<Row>({
    name: 'read_stream_events',
    text: readFrom(
      'select * from unnest($10::float8[], $11::int[], $12::uuid[]) as place (position, index, id)',
    ),
    values: [...valuesOf(scope, size), ...columnsOf(places)],
  })
  return toEvents(rows)
}

export const columnsOf = (places: readonly PlacedEvent[]) => [
  places.map(({ position }) => position),
  places.map(({ index }) => index),
  places.map(({ id }) => id),
]

interface Row extends StreamEvent {
  readonly isWanted: boolean
  readonly isGone: boolean
  readonly places: number
}

function toEvents(rows: readonly Row[]): StreamEvent[] {
  return rows
    .filter(({ isWanted }) => isWanted)
    .map(({ isWanted: _, isGone: __, places: ___, ...event }) => event)
}

function valuesOf({ organizationId, webhookId, selection }: EventScope, size: PageSize) {
  const filter = selection?.filter && compileFilter(selection.filter)
  return [
    organizationId,
    selection && (selection.types ?? ['*']),
    filter?.path,
    filter && filter.times.length > 0 ? JSON.stringify(filter.times) : null,
    filter?.cost.steps ?? 0,
    filter?.cost.scans ?? 0,
    webhookId,
    size.maxEvents,
    size.maxBytes,
  ]
}

/** The steps of filters in one statement, so that the statement ends within a second. */
const MAX_STEPS_OF_STATEMENT = 5 * MAX_STEPS

/**
 * The primary key of the events serves it. The length of compressed texts is known without the texts. Each sum counts what is
 * before an event, so that the rows are the first of the places.
 */
const readFrom = (places: string) => `
  with place as materialized (${places}),
  found as (
    select place.*, e.id is null as is_gone, e.type, e.occurred_at, e.data, e.previous,
      w.filter_query, w.filter_times, w.filter_steps, w.filter_scans,
      coalesce(octet_length(e.data), 0) + coalesce(octet_length(e.previous), 0) as bytes,
      case when e.id is not null and e.erased_at is null then
        ($2::text[] is null or $2 && posthorn.subscriptions_to(e.type))
        and ($7::uuid is null or w.event_subscriptions && posthorn.subscriptions_to(e.type))
      end as is_selected
    from place
    left join posthorn.events as e on e.id = place.id and e.organization_id = $1
    left join posthorn.webhooks as w on w.id = $7 and w.organization_id = $1 and w.deleted_at is null
  ),
  counted as (
    select *, sum(case
      when is_selected and ($3::jsonpath is not null or filter_query is not null) then
        least($5::int + coalesce(filter_steps, 0) + ($6::int + coalesce(filter_scans, 0) + 1)::bigint * bytes, ${2 * MAX_STEPS})
    end) over (order by position, index rows between unbounded preceding and 1 preceding) as steps_before
    from found
  ),
  decided as materialized (
    select *, case when is_selected then
      ($3 is null or posthorn.lets_through(data, previous, $3, $4::jsonb, $5, $6))
      and (filter_query is null or posthorn.lets_through(data, previous, filter_query, filter_times, filter_steps, filter_scans))
    else false end as is_wanted
    from counted where steps_before is null or steps_before < ${MAX_STEPS_OF_STATEMENT}
  ),
  summed as (
    select *, count(*) filter (where is_wanted) over place_and_before as events,
      sum(bytes) filter (where is_wanted) over place_and_before as bytes_of_events
    from decided window place_and_before as (order by position, index)
  )
  select id, type, occurred_at as "occurredAt", position, index, is_gone as "isGone", is_wanted as "isWanted",
    case when is_wanted then data end as data, case when is_wanted then previous end as previous,
    (select count(*)::int from place) as places
  from summed where events <= $8 and (events <= 1 or bytes_of_events <= $9::float8)
  order by position, index`
