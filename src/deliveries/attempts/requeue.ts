import type { Sql } from '../../db/client.ts'
import { batched } from '../../lib/batch.ts'

/** Gives deliveries whose attempts were aborted a job for any worker, without an attempt used up. */
export function createRequeue(sql: Sql): (uuid: string) => Promise<void> {
  async function requeue(uuids: string[]): Promise<undefined[]> {
    await sql.query('select posthorn.restore_delivery_jobs($1::uuid[])', [uuids])
    return uuids.map(() => undefined)
  }
  return batched(requeue, { gatherMs: 5, maxSize: 1_000 })
}
