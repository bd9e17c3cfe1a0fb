import type { Sql } from '../../db/client.ts'

/**
 * Marks that the job of a delivery fails by a fault of ours. An operator may have changed the job before: without the
 * mark, a job that fails as often as it may would look as if the operator had failed it for good.
 */
export async function markFault(sql: Sql, uuid: string): Promise<void> {
  await sql.query(
    `update posthorn.deliveries set job_written_at = now() where id = $1 and state = 'pending'`,
    [uuid],
  )
}
