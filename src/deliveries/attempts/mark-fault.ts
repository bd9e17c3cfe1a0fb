import type { Sql } from '../../db/client.ts'

/**
 * Records that the job of a delivery failed by a fault of Posthorn. Without the record, a job that an operator changed
 * earlier, and that then runs out of attempts, looks to the sweep as if the operator permanently failed it.
 */
export async function markFault(sql: Sql, uuid: string): Promise<void> {
  await sql.query(
    `update posthorn.deliveries set job_written_at = now() where id = $1 and state = 'pending'`,
    [uuid],
  )
}
