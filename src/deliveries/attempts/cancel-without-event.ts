import type { Sql } from '../../db/client.ts'
import { publicId } from '../../db/ids.ts'
import { batched } from '../../lib/batch.ts'
import type { ReportCanceled } from '../../telemetry/events.ts'
import { cancelDeliveries } from '../cancel-deliveries.ts'

/** Cancels deliveries whose event was deleted or erased, one batch at a time. */
export function createCancelWithoutEvent(
  sql: Sql,
  reportCanceled: ReportCanceled,
): (uuid: string) => Promise<void> {
  async function cancel(uuids: string[]): Promise<undefined[]> {
    const canceled = await cancelDeliveries(sql, uuids, null)
    const deliveryIds = canceled.map((uuid) => publicId('delivery', uuid))
    reportCanceled({ count: canceled.length, reason: 'event_deleted', ids: { deliveryIds } })
    return uuids.map(() => undefined)
  }
  return batched(cancel, { maxSize: 500, parallel: 1 })
}
