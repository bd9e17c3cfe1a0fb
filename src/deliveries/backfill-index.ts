import type { Database, Sql } from '../db/client.ts'

/** More than ever wait for so long, but for a backlog, which is indexed by being parked. */
const MAX_BACKFILLED = 10_000

interface Cursor {
  readonly reached_id: string
  readonly next_id: string | null
  /** Whether every transaction that may have created an id before `next_id` has ended. */
  readonly is_settled: boolean
}

/**
 * Puts pending deliveries that are no longer fresh into the index of states. Before the cursor none is missing there, so
 * a look for pending deliveries reads that index and the few minutes after the cursor. Answers how many.
 */
export async function backfillIndex(
  pool: Database['pool'],
  atMost = MAX_BACKFILLED,
): Promise<number> {
  const client = await pool.connect()
  try {
    await client.query('begin')
    const backfilled = await backfill(client, atMost)
    await client.query('commit')
    client.release()
    return backfilled
  } catch (error) {
    client.release(true)
    throw error
  }
}

async function backfill(sql: Sql, atMost: number): Promise<number> {
  const { rows } = await sql.query<Cursor>(
    `select reached_id, next_id,
       -- A restored database may count its transactions from below.
       coalesce(pg_snapshot_xmin(pg_current_snapshot())::text::bigint >= next_xid
         or next_xid > pg_snapshot_xmax(pg_current_snapshot())::text::bigint, false) as is_settled
     from posthorn.cursors where name = 'index_backfill' for update skip locked`,
  )
  const [cursor] = rows
  if (!cursor || (cursor.next_id !== null && !cursor.is_settled)) return 0
  if (cursor.next_id === null) {
    await moveCursor(sql, cursor.reached_id)
    return 0
  }
  const { rows: found } = await sql.query<{ id: string }>(
    `update posthorn.deliveries set is_backfilled = true
     where id = any (array(
       select id from posthorn.deliveries
       where id >= $1 and id < $2 and state = 'pending' and indexed_state is null order by id limit $3
     )) and state = 'pending'
     returning id`,
    [cursor.reached_id, cursor.next_id, atMost],
  )
  if (found.length < atMost) await moveCursor(sql, cursor.next_id)
  return found.length
}

/** A transaction gets its number within moments of creating its first id. */
async function moveCursor(sql: Sql, reachedId: string): Promise<void> {
  await sql.query(
    `update posthorn.cursors set reached_id = $1, reached_at = posthorn.uuid_v7_timestamp($1),
       next_id = posthorn.uuid_v7_lower_bound(clock_timestamp() - interval '30 seconds'),
       next_xid = pg_snapshot_xmax(pg_current_snapshot())::text::bigint
     where name = 'index_backfill'`,
    [reachedId],
  )
}
