import type { Sql } from '../../../db/client.ts'
import { lowerBoundAt, timestampOf } from '../../../lib/uuid-v7.ts'

/** A batch of events is stored in the same statement as its events, whose clock may be that of another process. */
const CLOCK_DIFFERENCE_MS = 60_000

/** Those of the events that a consumer of the organization has not acknowledged, and may still ask for. */
export async function findUnreadEvents(
  sql: Sql,
  organizationId: string,
  eventIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const [first] = eventIds
  if (first === undefined) return new Set()
  const { rows } = await sql.query<{ id: string }>({
    name: 'find_unread_events',
    text: FIND_UNREAD,
    values: [
      organizationId,
      eventIds,
      lowerBoundAt(new Date(timestampOf(first).getTime() - CLOCK_DIFFERENCE_MS)),
    ],
  })
  return new Set(rows.map(({ id }) => id))
}

/** An event without a position in the stream is one that nobody has read. */
const FIND_UNREAD = `
  with reader as materialized (
    select id, read_position, read_index from posthorn.event_consumers where organization_id = $1
  ),
  behind as materialized (
    select min(read_position) as position from reader
  )
  select given.id from unnest($2::uuid[]) as given (id)
  where exists (
    select from reader join posthorn.consumer_leases as l on l.consumer_id = reader.id
    where given.id = any (l.event_ids))
  or given.id in (
    select e.id from behind, posthorn.published_batches as b, unnest(b.event_ids) with ordinality as e (id, n)
    where b.organization_id = $1 and b.id >= $3 and b.event_ids && $2::uuid[]
      and (b.position is null or b.position >= behind.position)
      and exists (
        select from reader
        where b.position is null or b.position > reader.read_position
          or b.position = reader.read_position and e.n - 1 > reader.read_index))`
