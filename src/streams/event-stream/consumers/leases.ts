import type { Sql } from '../../../db/client.ts'
import { parseId } from '../../../db/ids.ts'
import { notFound } from '../../../lib/errors.ts'
import type { Cursor } from '../cursor.ts'
import { columnsOf, type PlacedEvent } from '../read-stream.ts'
import { checkConsumerName } from './consumer.ts'

export interface Lease {
  /** A uuid. */
  readonly id: string
  readonly expiresAt: Date
  readonly events: readonly PlacedEvent[]
}

interface LeaseRow {
  readonly id: string
  readonly expiresAt: Date
  readonly eventIds: string[]
  readonly positions: number[]
  readonly indexes: number[]
}

/**
 * A lease of up to `max` events of the lease that expired first; the others wait for the next pull. Null if there are none.
 * Events that are gone, at the end of their retention, are counted.
 */
export async function leaseAgain(
  sql: Sql,
  consumerId: string,
  max: number,
  leaseSeconds: number,
): Promise<Lease | null> {
  const { rows } = await sql.query<LeaseRow>({
    name: 'lease_again',
    text: LEASE_AGAIN,
    values: [consumerId, max, leaseSeconds],
  })
  const [row] = rows
  if (!row) return null
  const { id, expiresAt, eventIds, positions, indexes } = row
  const events = eventIds.map((event, i) => ({
    id: event,
    position: positions[i] as number,
    index: indexes[i] as number,
  }))
  return { id, expiresAt, events }
}

/** A lease that is acknowledged meanwhile is locked, and skipped. The index on (consumer_id, expires_at) serves it. */
const LEASE_AGAIN = `
  with expired as (
    delete from posthorn.consumer_leases where id = (
      select id from posthorn.consumer_leases where consumer_id = $1 and expires_at <= now()
      order by expires_at limit 1 for update skip locked)
    returning event_ids, positions, indexes
  ),
  places as materialized (
    select place.*, e.id is null as is_gone, e.erased_at is null as is_kept
    from expired, unnest(event_ids, positions, indexes) as place (id, position, index)
    left join posthorn.events as e on e.id = place.id
  ),
  events as materialized (
    select *, row_number() over (order by position, index) as n from places where is_kept and not is_gone
  ),
  missed as (
    update posthorn.event_consumers set missed_count = missed_count + gone.count, last_missed_at = now()
    from (select count(*) from places where is_gone) as gone
    where id = $1 and gone.count > 0
  ),
  rest as (
    insert into posthorn.consumer_leases (consumer_id, event_ids, positions, indexes, expires_at)
    select $1, array_agg(id order by n), array_agg(position order by n), array_agg(index order by n), now()
    from events where n > $2 having count(*) > 0
  )
  insert into posthorn.consumer_leases (consumer_id, event_ids, positions, indexes, expires_at)
  select $1, array_agg(id order by n), array_agg(position order by n), array_agg(index order by n),
    now() + $3 * interval '1 second'
  from events where n <= $2 having count(*) > 0
  returning id, expires_at as "expiresAt", event_ids as "eventIds", positions::float8[] as positions, indexes`

/**
 * Makes a lease of events that were read, and moves the consumer to where reading goes on. Null if another pull moved the
 * consumer since: then nothing changed. Without events, only moves the consumer, and returns a lease without an id.
 */
export async function leaseRead(
  sql: Sql,
  { id, read }: { readonly id: string; readonly read: Cursor },
  next: Cursor,
  events: readonly PlacedEvent[],
  missed: number,
  leaseSeconds: number,
): Promise<{ readonly id: string; readonly expiresAt: Date } | 'nothing' | null> {
  const { rows } = await sql.query<{ id: string | null; expiresAt: Date }>({
    name: 'lease_read_events',
    text: LEASE_READ,
    values: [
      id,
      ...[read.position, read.index, next.position, next.index],
      ...columnsOf(events),
      ...[missed, leaseSeconds],
    ],
  })
  const [row] = rows
  if (!row) return null
  return row.id === null ? 'nothing' : { id: row.id, expiresAt: row.expiresAt }
}

const LEASE_READ = `
  with moved as (
    update posthorn.event_consumers
    set read_position = $4, read_index = $5, missed_count = missed_count + $9::int,
      last_missed_at = case when $9::int > 0 then now() else last_missed_at end
    where id = $1 and read_position = $2 and read_index = $3
    returning id
  ),
  leased as (
    insert into posthorn.consumer_leases (consumer_id, event_ids, positions, indexes, expires_at)
    select id, $8::uuid[], $6::bigint[], $7::int[], now() + $10 * interval '1 second'
    from moved where cardinality($8::uuid[]) > 0
    returning id, expires_at
  )
  select leased.id, leased.expires_at as "expiresAt" from moved left join leased on true`

/**
 * Acknowledges the events of a lease. Returns how many: 0 if they were acknowledged before, or if the lease had expired and
 * another pull got them.
 */
export async function acknowledgeEvents(
  sql: Sql,
  organizationId: string,
  consumer: string,
  lease: string,
): Promise<number> {
  checkConsumerName(consumer)
  const uuid = parseId('lease', lease)
  const { rows } = await sql.query<{ count: number }>({
    name: 'acknowledge_events',
    text: ACKNOWLEDGE,
    values: [organizationId, consumer, uuid],
  })
  const [row] = rows
  if (!row) throw notFound('consumer', consumer)
  if (uuid === null) throw notFound('lease', lease)
  return row.count
}

/** The primary key of the leases serves it. */
const ACKNOWLEDGE = `
  with consumer as (
    select id from posthorn.event_consumers where organization_id = $1 and name = $2
  ),
  acknowledged as (
    delete from posthorn.consumer_leases as l using consumer
    where l.id = $3 and l.consumer_id = consumer.id
    returning cardinality(l.event_ids) as count
  )
  select coalesce((select count from acknowledged), 0) as count from consumer`
