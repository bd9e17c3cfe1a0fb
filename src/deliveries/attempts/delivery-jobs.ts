import type { Sql } from '../../db/client.ts'
import { publicId } from '../../db/ids.ts'
import { type BatchOptions, batched } from '../../lib/batch.ts'
import type { ReportCanceled } from '../../telemetry/events.ts'
import { cancelDeliveries } from '../cancel-deliveries.ts'
import { reopenExhausted } from '../reopen-exhausted.ts'

export type DeliveryJobs = ReturnType<typeof createDeliveryJobs>

/** What happens to a delivery and its job without a recorded attempt. */
export function createDeliveryJobs(
  { pool, pipeline }: { readonly pool: Sql; readonly pipeline: Sql },
  reportCanceled: ReportCanceled,
) {
  const markFault = together({ maxSize: 500, parallel: 1 }, (uuids) =>
    pool.query(
      `update posthorn.deliveries as d set job_written_at = now() from (
         select id from posthorn.deliveries where id = any ($1::uuid[]) and state = 'pending' order by id for update
       ) as failed where d.id = failed.id`,
      [uuids],
    ),
  )
  return {
    /** Queues the delivery of an aborted attempt for any worker. An aborted attempt does not count as an attempt. */
    requeue: together({ maxSize: 1_000 }, (uuids) =>
      pipeline.query('select posthorn.restore_delivery_jobs($1::uuid[])', [uuids]),
    ),
    /** Cancels a delivery whose event was deleted or erased. */
    cancel: together({ maxSize: 500, parallel: 1 }, async (uuids) => {
      const canceled = await cancelDeliveries(pool, uuids, null)
      const deliveryIds = canceled.map((uuid) => publicId('delivery', uuid))
      reportCanceled({ count: canceled.length, reason: 'event_deleted', ids: { deliveryIds } })
    }),
    /** Makes an exhausted delivery pending again. */
    reopen: (uuid: string) => reopenExhausted(pool, uuid),
    /**
     * Records that the job of a delivery failed by a fault of Posthorn. Without the record, a job that an operator changed
     * earlier, and that then runs out of attempts, looks to the sweep as if the operator permanently failed it.
     */
    markFault: (uuid: string) => markFault(uuid).catch(() => {}),
  }
}

function together(
  options: BatchOptions<string>,
  run: (uuids: string[]) => Promise<unknown>,
): (uuid: string) => Promise<void> {
  return batched(async (uuids: string[]): Promise<undefined[]> => {
    await run(uuids)
    return uuids.map(() => undefined)
  }, options)
}
