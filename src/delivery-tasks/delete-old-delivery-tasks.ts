import type { Sql } from '../db/client.ts'

/** Deletes tasks that ended before the retention of deliveries, and returns their number. */
export async function deleteOldDeliveryTasks(sql: Sql, retentionMs: number): Promise<number> {
  const { rowCount } = await sql.query(
    `delete from posthorn.delivery_tasks where finished_at < now() - $1::float8 * interval '1 millisecond'`,
    [retentionMs],
  )
  return rowCount ?? 0
}
