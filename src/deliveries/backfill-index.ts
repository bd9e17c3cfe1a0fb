import type { Database, Sql } from '../db/client.ts'
import { inTransaction } from '../db/transaction.ts'

/** Few deliveries stay pending long enough to need the backfill: parking a delivery indexes it. */
const MAX_BACKFILLED = 10_000

interface Cursor {
  readonly reached_id: string
  readonly next_id: string | null
  /** Whether every transaction that can have created an id before `next_id` has ended. */
  readonly is_settled: boolean
}

/**
 * Adds pending deliveries that are no longer fresh to the index of states, up to `limit`, and returns their number. Their
 * webhooks are evaluated, because the workers may be behind. The
 * index is complete before the cursor, so a search for pending deliveries reads the index and the rows after the
 * cursor.
 */
export async function backfillIndex(
  pool: Database['pool'],
  limit = MAX_BACKFILLED,
): Promise<number> {
  return await inTransaction(pool, (sql) => backfill(sql, limit))
}

async function backfill(sql: Sql, limit: number): Promise<number> {
  const { rows } = await sql.query<Cursor>(
    `select reached_id, next_id,
       -- A restored database can have lower transaction numbers than the stored one.
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
    `with found as (
       update posthorn.deliveries set is_backfilled = true
       where id = any (array(
         select id from posthorn.deliveries
         where id >= $1 and id < $2 and state = 'pending' and indexed_state is null order by id limit $3
       )) and state = 'pending'
       returning id, webhook_id
     ),
     evaluated as (
       insert into posthorn.webhook_conditions as c (webhook_id, next_evaluation_at)
       select w.id, now() from posthorn.webhooks as w where w.id in (select webhook_id from found) order by w.id
       on conflict (webhook_id) do update
         set next_evaluation_at = coalesce(c.next_evaluation_at, excluded.next_evaluation_at)
     )
     select id from found`,
    [cursor.reached_id, cursor.next_id, limit],
  )
  if (found.length < limit) await moveCursor(sql, cursor.next_id)
  return found.length
}

/** The 30 seconds cover the time between a transaction's first id and its transaction number. */
async function moveCursor(sql: Sql, reachedId: string): Promise<void> {
  await sql.query(
    `update posthorn.cursors set reached_id = $1, reached_at = posthorn.uuid_v7_timestamp($1),
       next_id = posthorn.uuid_v7_lower_bound(clock_timestamp() - interval '30 seconds'),
       next_xid = pg_snapshot_xmax(pg_current_snapshot())::text::bigint
     where name = 'index_backfill'`,
    [reachedId],
  )
}
