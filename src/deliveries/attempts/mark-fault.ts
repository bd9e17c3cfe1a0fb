import type { Sql } from '../../db/client.ts'
import { batched } from '../../lib/batch.ts'

/**
 * Records that the job of a delivery failed by a fault of Posthorn, one batch at a time. Without the record, a job that an
 * operator changed earlier, and that then runs out of attempts, looks to the sweep as if the operator permanently failed
 * it.
 */
export function createMarkFault(sql: Sql): (uuid: string) => Promise<void> {
  async function mark(uuids: string[]): Promise<undefined[]> {
    await sql.query(
      `update posthorn.deliveries as d set job_written_at = now() from (
         select id from posthorn.deliveries where id = any ($1::uuid[]) and state = 'pending' order by id for update
       ) as failed where d.id = failed.id`,
      [uuids],
    )
    return uuids.map(() => undefined)
  }
  return batched(mark, { maxSize: 500, parallel: 1 })
}
