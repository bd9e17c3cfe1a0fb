import type { Sql } from '../../db/client.ts'
import { DomainError } from '../../lib/errors.ts'
import { type Cursor, isBefore } from './cursor.ts'

/** Where a stream begins and where it ends, both exclusive: after the last event that is gone, and after the newest. */
export interface StreamBounds {
  readonly beginsAfter: Cursor
  readonly newest: Cursor
}

/** Of what has committed. The first use begins the stream: publishers append to it from then on. */
export async function readBounds(sql: Sql, organizationId: string): Promise<StreamBounds> {
  await givePositions(sql, organizationId)
  const { rows } = await sql.query<Cursor & { newest: number | null }>({
    name: 'begin_stream',
    text: BEGIN_STREAM,
    values: [organizationId],
  })
  const [row] = rows
  if (!row) throw new DomainError('unavailable', 'The stream of events has ended. Try again.')
  const { newest, ...beginsAfter } = row
  // The place after the newest batch, before the next one.
  const end = { position: (newest ?? 0) + 1, index: -1 }
  return { beginsAfter, newest: isBefore(end, beginsAfter) ? beginsAfter : end }
}

/** SQL, by the index on (organization_id, position). */
const NEWEST_POSITION = `(
  select max(b.position) from posthorn.published_batches as b where b.organization_id = $1 and b.position is not null)`

/** Two first uses at the same time begin one stream. */
const BEGIN_STREAM = `
  with begun as (
    insert into posthorn.event_streams as s (organization_id)
    select o.id from posthorn.organizations as o
    where o.id = $1 and o.deleted_at is null
      and not exists (select from posthorn.event_streams where organization_id = o.id)
    on conflict (organization_id) do update set begins_after = s.begins_after
    returning *
  )
  select begins_after::float8 as position, begins_after_index as index, ${NEWEST_POSITION}::float8 as newest
  from (select * from begun union all select * from posthorn.event_streams where organization_id = $1) as stream`

/** Batches in one statement. */
const MAX_GIVEN = 1_000

/**
 * Gives positions to the committed batches of an organization, so that positions ascend in the order in which readers see
 * the events: a batch that commits late comes after those that were read before. Returns the newest position, if any.
 */
export async function givePositions(sql: Sql, organizationId: string): Promise<number | null> {
  for (;;) {
    const { rows } = await sql.query<{ given: number; newest: number | null }>({
      name: 'give_stream_positions',
      text: GIVE_POSITIONS,
      values: [organizationId, MAX_GIVEN],
    })
    const [result] = rows
    if (!result || result.given < MAX_GIVEN) return result?.newest ?? null
  }
}

/**
 * Who holds the lock gives positions, and its commit is visible before the next one begins. A statement that has waited for
 * the lock looks again at each row before it changes the row. The index on batches without a position serves it.
 */
const GIVE_POSITIONS = `
  with waiting as materialized (
    select from posthorn.published_batches where organization_id = $1 and position is null limit 1
  ),
  locked as materialized (
    select pg_advisory_xact_lock(hashtextextended('posthorn.event_stream:' || $1::uuid, 0)) from waiting
  ),
  given as materialized (
    select id, nextval('posthorn.stream_positions') as position
    from (
      select b.id from locked, posthorn.published_batches as b
      where b.organization_id = $1 and b.position is null
      order by b.id limit $2
    ) as sorted
  ),
  positioned as (
    update posthorn.published_batches as b set position = given.position
    from given where b.id = given.id and b.position is null
    returning b.position
  )
  select count(*)::int as given, greatest(max(position), ${NEWEST_POSITION})::float8 as newest from positioned`

/** Batches in one statement. */
const PAGE_ROWS = 1_000

/** Of one maintenance, so that the steps after it wait for minutes at most. */
const MAX_DELETED = 500_000

const NIL_UUID = '00000000-0000-0000-0000-000000000000'

/**
 * Deletes the batches past the retention whose events are gone. Cursors before them are too old from then on, and consumers
 * that had not read them count the events as missed. Returns how many batches were deleted.
 */
export async function deleteOldBatches(sql: Sql, retentionMs: number): Promise<number> {
  await positionOld(sql, retentionMs)
  let deleted = 0
  let after: string | null = NIL_UUID
  while (after !== null && deleted < MAX_DELETED) {
    const values: unknown[] = [retentionMs, after, PAGE_ROWS]
    const { rows } = await sql.query<{ deleted: number; reached: string | null }>({
      name: 'delete_old_batches',
      text: DELETE_OLD,
      values,
    })
    deleted += rows[0]?.deleted ?? 0
    after = rows[0]?.reached ?? null
  }
  return deleted
}

/** Old batches that nobody has read get their positions, so that what is deleted has a place in the stream. */
async function positionOld(sql: Sql, retentionMs: number): Promise<void> {
  const { rows } = await sql.query<{ organizationId: string }>({
    name: 'find_old_batches_without_position',
    text: `
      select distinct organization_id as "organizationId" from posthorn.published_batches
      where position is null and id < posthorn.uuid_v7_lower_bound(now() - $1 * interval '1 millisecond')`,
    values: [retentionMs],
  })
  for (const { organizationId } of rows) await givePositions(sql, organizationId)
}

/** The last event of a batch is the newest. The primary keys of the batches and of the events serve it. */
const DELETE_OLD = `
  with page as materialized (
    select id, organization_id, position, event_ids from posthorn.published_batches
    where id < posthorn.uuid_v7_lower_bound(now() - $1 * interval '1 millisecond') and id > $2
    order by id limit $3
  ),
  deleted as (
    delete from posthorn.published_batches as b using page
    where b.id = page.id and b.position is not null and not exists (
      select from posthorn.events as e where e.id = page.event_ids[cardinality(page.event_ids)])
    returning b.organization_id, b.position, cardinality(b.event_ids) as events
  ),
  last as (
    select distinct on (organization_id) organization_id, position, events from deleted
    order by organization_id, position desc
  ),
  moved as (
    update posthorn.event_streams as s set begins_after = last.position, begins_after_index = last.events - 1
    from last where s.organization_id = last.organization_id and s.begins_after < last.position
  ),
  missed as (
    update posthorn.event_consumers as c
    set missed_count = c.missed_count + unread.events, last_missed_at = now(),
      read_position = unread.position, read_index = unread.events_of_last - 1
    from (
      select c.id, sum(case when d.position = c.read_position then d.events - c.read_index - 1 else d.events end) as events,
        max(d.position) as position, (array_agg(d.events order by d.position desc))[1] as events_of_last
      from posthorn.event_consumers as c
      join deleted as d on d.organization_id = c.organization_id
        and (d.position > c.read_position or (d.position = c.read_position and d.events > c.read_index + 1))
      group by c.id
    ) as unread
    where c.id = unread.id
  )
  select (select count(*)::int from deleted) as deleted,
    case when (select count(*) from page) = $3 then (select max(id::text) from page) end as reached`
