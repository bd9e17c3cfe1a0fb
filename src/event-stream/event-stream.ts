import type { Sql } from '../db/client.ts'
import { DomainError } from '../lib/errors.ts'
import { LruMap } from '../lib/lru-map.ts'
import { type Cursor, isBefore } from './cursor.ts'

/** Keeps the streams of some organizations in use. Resolves once all later events of the organization are in its stream. */
export type UseStream = (organizationId: string) => Promise<void>

/** The time of the last use is kept roughly. It is far below the shortest retention. */
const NOTE_USE_EVERY_MS = 10 * 60_000

const MAX_REMEMBERED = 10_000

/** The first use begins the stream: publishers append to it from then on. */
export function createUseStream(sql: Sql): UseStream {
  const usedAtMs = new LruMap<string, number>({ maxEntries: MAX_REMEMBERED })
  return async (organizationId) => {
    const before = usedAtMs.get(organizationId)
    const now = performance.now()
    if (before !== undefined && now - before < NOTE_USE_EVERY_MS) return
    await sql.query({
      name: 'use_event_stream',
      text: `
        insert into posthorn.event_streams as s (organization_id, used_at)
        select o.id, now() from posthorn.organizations as o where o.id = $1 and o.deleted_at is null
        on conflict (organization_id) do update set used_at = excluded.used_at`,
      values: [organizationId],
    })
    usedAtMs.set(organizationId, now)
  }
}

/** The ends of a stream, both exclusive at the beginning: the last event that is gone, and the newest with a position. */
export interface StreamBounds {
  readonly beginsAfter: Cursor
  readonly newest: Cursor
}

/** The index on (organization_id, position) serves it. */
export async function readBounds(sql: Sql, organizationId: string): Promise<StreamBounds> {
  const { rows } = await sql.query<{
    beginsAfter: number
    beginsAfterIndex: number
    newest: number | null
    newestIndex: number | null
  }>({
    name: 'read_stream_bounds',
    text: `
      select s.begins_after::float8 as "beginsAfter", s.begins_after_index as "beginsAfterIndex",
        b.position::float8 as "newest", cardinality(b.event_ids) - 1 as "newestIndex"
      from posthorn.event_streams as s
      left join lateral (
        select position, event_ids from posthorn.published_batches
        where organization_id = s.organization_id and position is not null
        order by position desc limit 1
      ) as b on true
      where s.organization_id = $1`,
    values: [organizationId],
  })
  const [row] = rows
  // Nobody used the stream for longer than the retention, and its process did not notice.
  if (!row) throw new DomainError('unavailable', 'The stream of events has ended. Try again.')
  const beginsAfter = { position: row.beginsAfter, index: row.beginsAfterIndex }
  if (row.newest === null) return { beginsAfter, newest: beginsAfter }
  const newest = { position: row.newest, index: row.newestIndex ?? 0 }
  return { beginsAfter, newest: isBefore(newest, beginsAfter) ? beginsAfter : newest }
}
