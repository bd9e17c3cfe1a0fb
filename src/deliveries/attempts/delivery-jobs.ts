import type { Sql } from '../../db/client.ts'
import { publicId } from '../../db/ids.ts'
import { batched } from '../../lib/batch.ts'
import type { ReportCanceled } from '../../telemetry/events.ts'
import { cancelDeliveries } from '../cancel-deliveries.ts'
import { reopenExhausted } from '../reopen-exhausted.ts'

export type DeliveryJobs = ReturnType<typeof createDeliveryJobs>

/** What happens to a delivery and its job without a recorded attempt. */
export function createDeliveryJobs(
  { pool, pipeline }: { readonly pool: Sql; readonly pipeline: Sql },
  reportCanceled: ReportCanceled,
) {
  return {
    /** Queues the delivery of an aborted attempt for any worker. An aborted attempt does not count as an attempt. */
    requeue: batched(
      async (uuids: string[]) => {
        await pipeline.query('select posthorn.restore_delivery_jobs($1::uuid[])', [uuids])
        return uuids.map(() => undefined)
      },
      { maxSize: 1_000 },
    ),
    /** Cancels a delivery whose event was deleted or erased. */
    async cancel(uuid: string): Promise<void> {
      const canceled = await cancelDeliveries(pool, [uuid], null)
      const deliveryIds = canceled.map((id) => publicId('delivery', id))
      reportCanceled({ count: canceled.length, reason: 'event_deleted', ids: { deliveryIds } })
    },
    /** Makes an exhausted delivery pending again. */
    reopen: (uuid: string) => reopenExhausted(pool, uuid),
    /**
     * Records that the job of a delivery failed by a fault of Posthorn. Without the record, a job that an operator changed
     * earlier, and that then runs out of attempts, looks to the sweep as if the operator permanently failed it.
     */
    async markFault(uuid: string): Promise<void> {
      const text = `update posthorn.deliveries set job_written_at = now() where id = $1 and state = 'pending'`
      await pool.query(text, [uuid]).catch(() => {})
    },
  }
}
