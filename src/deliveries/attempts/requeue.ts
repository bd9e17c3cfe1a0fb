import type { Sql } from '../../db/client.ts'
import { batched } from '../../lib/batch.ts'

/** Queues the deliveries of aborted attempts for any worker. An aborted attempt does not count as an attempt. */
export function createRequeue(sql: Sql): (uuid: string) => Promise<void> {
  async function requeue(uuids: string[]): Promise<undefined[]> {
    await sql.query('select posthorn.restore_delivery_jobs($1::uuid[])', [uuids])
    return uuids.map(() => undefined)
  }
  return batched(requeue, { maxSize: 1_000 })
}
