import type { Sql } from '../../db/client.ts'
import { DomainError } from '../../lib/errors.ts'
import type { News } from '../live/news.ts'
import { type Cursor, isBefore } from './cursor.ts'

/** The ends of a stream, both exclusive at the beginning: the last event that is gone, and the newest with a position. */
export interface StreamBounds {
  readonly beginsAfter: Cursor
  readonly newest: Cursor
}

/** How a client waits for events. */
export interface EventNews {
  readonly news: News
  /** The bounds of the stream when the client began to wait. */
  readonly bounds: StreamBounds
  /** Resolves when there are newer events, or after `maxMs`. False once the client has left. */
  next(maxMs?: number): Promise<boolean>
}

/**
 * Of what has committed. The first use begins the stream: publishers append to it from then on. The index on
 * (organization_id, position) serves it.
 */
export async function readBounds(sql: Sql, organizationId: string): Promise<StreamBounds> {
  await givePositions(sql, organizationId)
  const [row] = await readStreamRow(sql, organizationId)
  if (!row || row.isOld) await useStream(sql, organizationId)
  const [used] = row ? [row] : await readStreamRow(sql, organizationId)
  if (!used) throw new DomainError('unavailable', 'The stream of events has ended. Try again.')
  const beginsAfter = { position: used.beginsAfter, index: used.beginsAfterIndex }
  if (used.newest === null) return { beginsAfter, newest: beginsAfter }
  const newest = { position: used.newest, index: used.newestIndex ?? 0 }
  return { beginsAfter, newest: isBefore(newest, beginsAfter) ? beginsAfter : newest }
}

interface StreamRow {
  readonly beginsAfter: number
  readonly beginsAfterIndex: number
  readonly newest: number | null
  readonly newestIndex: number | null
  /** Whether the use is not noted. It is noted roughly, far below the shortest retention. */
  readonly isOld: boolean
}

async function readStreamRow(sql: Sql, organizationId: string): Promise<StreamRow[]> {
  const { rows } = await sql.query<StreamRow>({
    name: 'read_stream_bounds',
    text: `
      select s.begins_after::float8 as "beginsAfter", s.begins_after_index as "beginsAfterIndex",
        b.position::float8 as "newest", cardinality(b.event_ids) - 1 as "newestIndex",
        s.used_at < now() - interval '10 minutes' as "isOld"
      from posthorn.event_streams as s
      left join lateral (
        select position, event_ids from posthorn.published_batches
        where organization_id = s.organization_id and position is not null
        order by position desc limit 1
      ) as b on true
      where s.organization_id = $1`,
    values: [organizationId],
  })
  return rows
}

/** Does nothing for an organization that was deleted. */
async function useStream(sql: Sql, organizationId: string): Promise<void> {
  await sql.query({
    name: 'use_event_stream',
    text: `
      insert into posthorn.event_streams as s (organization_id, used_at)
      select o.id, now() from posthorn.organizations as o where o.id = $1 and o.deleted_at is null
      on conflict (organization_id) do update set used_at = excluded.used_at`,
    values: [organizationId],
  })
}

/** Batches in one statement. */
const MAX_GIVEN = 1_000

/**
 * Gives positions to the committed batches of an organization, so that positions ascend in the order in which readers see
 * the events: a batch that commits late comes after those that were read before.
 */
export async function givePositions(sql: Sql, organizationId: string): Promise<void> {
  for (;;) {
    const { rowCount } = await sql.query({
      name: 'give_stream_positions',
      text: GIVE_POSITIONS,
      values: [organizationId, MAX_GIVEN],
    })
    if ((rowCount ?? 0) < MAX_GIVEN) return
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
  )
  update posthorn.published_batches as b set position = given.position
  from given where b.id = given.id and b.position is null`

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
  await sql.query({
    name: 'delete_unused_streams',
    text: `
      delete from posthorn.event_streams as s
      where used_at < now() - $1 * interval '1 millisecond'
        and not exists (select from posthorn.event_consumers as c where c.organization_id = s.organization_id)`,
    values: [retentionMs],
  })
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
