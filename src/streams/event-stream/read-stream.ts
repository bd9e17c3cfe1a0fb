import type { BodyEvent } from '../../bodies/event-graph/select-event.ts'
import type { Sql } from '../../db/client.ts'
import { MAX_STEPS } from '../../lib/work-budget.ts'
import type { Cursor } from './cursor.ts'
import type { EventSelection } from './event-matcher.ts'

/** An event of the stream. */
export interface StreamEvent extends BodyEvent, Cursor {}

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
  /** Null: all but those of Posthorn itself. */
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
  /**
   * Whether events are gone, at the end of their retention. Somebody wanted erased events to be forgotten: they are only left
   * out.
   */
  readonly hasGaps: boolean
}

/** Events that one statement looks at. */
export const MAX_SCANNED = 1_000

/** The events of the organization after a cursor, in the order of their positions. */
export async function readStream(
  sql: Sql,
  scope: EventScope,
  { position, index }: Cursor,
  size: PageSize,
): Promise<StreamPage> {
  const { rows } = await sql.query<EventRow & { isGone: boolean; isLast: boolean }>({
    name: 'read_stream',
    text: READ_STREAM,
    values: [...scopeValues(scope, size), position, index, MAX_SCANNED],
  })
  const last = rows.at(-1)
  return {
    events: toEvents(rows),
    next: last ? { position: last.position, index: last.index } : { position, index },
    isEnd: last?.isLast ?? true,
    hasGaps: rows.some(({ isGone }) => isGone),
  }
}

/** An event with a place in the stream, or none: then no position. */
export type EventRow = Omit<StreamEvent, 'data'> & { readonly data: string | null }

/** Those that the reader gets. */
export function toEvents(rows: readonly EventRow[]): StreamEvent[] {
  return rows.flatMap(({ id, type, occurredAt, position, index, data, previous }) =>
    data === null ? [] : [{ id, type, occurredAt, position, index, data, previous }],
  )
}

/** The event with this uuid, if the reader may see it. It need not be in the stream. */
export async function findEvent(
  sql: Sql,
  scope: EventScope,
  uuid: string,
): Promise<StreamEvent | null> {
  const { rows } = await sql.query<EventRow>({
    name: 'find_stream_event',
    text: `
      with ${pageOf('select $10::uuid as id, 0::float8 as position, 0 as index, true as is_chosen')}
      select ${EVENT_COLUMNS} from page`,
    values: [...scopeValues(scope, { maxEvents: 1, maxBytes: 0 }), uuid],
  })
  return toEvents(rows)[0] ?? null
}

/** The parameters of `pageOf`. */
export function scopeValues(
  { organizationId, webhookId, selection }: EventScope,
  { maxEvents, maxBytes }: PageSize,
): unknown[] {
  const filter = selection?.filter
  const times = filter?.times && JSON.stringify(filter.times)
  const { steps = 0, scans = 0 } = filter ?? {}
  const types = selection?.types ?? ['*']
  return [organizationId, types, filter?.path, times, steps, scans, webhookId, maxEvents, maxBytes]
}

/**
 * SQL: up to $12 places after a cursor. Batches have at least one event. Those that are not needed are counted, but not opened.
 * The index on (organization_id, position) serves it.
 */
export const streamPlaces = (position: string, index: string, limit: string) => `
  select b.position::float8 as position, e.n::int - 1 as index, e.id, false as is_chosen
  from (
    select position, event_ids, sum(cardinality(event_ids)) over (order by position) - cardinality(event_ids) as before
    from (
      select position, event_ids from posthorn.published_batches
      where organization_id = $1 and position >= ${position}
      order by position limit ${limit} + 1
    ) as first
  ) as b
  cross join lateral unnest(b.event_ids) with ordinality as e (id, n)
  where b.before <= ${limit} + ${index} + 1 and (b.position > ${position} or e.n > ${index} + 1)
  order by b.position, e.n limit ${limit}`

/** The steps of filters in one statement, so that the statement ends within a second. */
const MAX_STEPS_OF_STATEMENT = 5 * MAX_STEPS

/**
 * SQL: the first of the places, up to the bounds of a page, with what the reader gets. The selection does not concern places that
 * are chosen. Each sum ascends, so that what is within the bounds has no gap. The primary key of the events serves it. The
 * length of compressed texts is known without the texts.
 */
export const pageOf = (places: string) => `
  place as materialized (${places}),
  found as (
    select place.*, e.id is null as is_gone, e.type, e.occurred_at, e.data, e.previous,
      w.filter_query, w.filter_times, w.filter_steps, w.filter_scans,
      coalesce(octet_length(e.data), 0) + coalesce(octet_length(e.previous), 0) as bytes,
      case when e.id is not null and e.erased_at is null then
        (is_chosen or $2::text[] && posthorn.subscriptions_to(e.type))
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
      (is_chosen or $3 is null or posthorn.lets_through(data, previous, $3, $4::jsonb, $5, $6))
      and (filter_query is null or posthorn.lets_through(data, previous, filter_query, filter_times, filter_steps, filter_scans))
    else false end as is_wanted
    from counted where steps_before is null or steps_before < ${MAX_STEPS_OF_STATEMENT}
  ),
  summed as (
    select *, count(*) filter (where is_wanted) over so_far as events, sum(bytes) filter (where is_wanted) over so_far as total
    from decided window so_far as (order by position, index)
  ),
  page as materialized (
    select * from summed where events <= $8 and (events <= 1 or total <= $9::float8)
  )`

export const EVENT_COLUMNS = `
  page.id, type, occurred_at as "occurredAt", position, index, case when is_wanted then data end as data,
  case when is_wanted then previous end as previous`

const READ_STREAM = `
  with ${pageOf(streamPlaces('$10', '$11::int', '$12::int'))}
  select ${EVENT_COLUMNS}, is_gone as "isGone",
    (select count(*) from page) = (select count(*) from place) and (select count(*) from place) < $12 as "isLast"
  from page order by position, index`
