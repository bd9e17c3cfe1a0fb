import type { Sql } from '../db/client.ts'
import { redeliverPage } from '../deliveries/delivery.ts'
import { timestampOf } from '../lib/uuid-v7.ts'
import type { PageResult, Work } from '../queue/long-work.ts'
import { type SelectedDeliveries, selectPage } from './selected-deliveries.ts'

/** Redelivers the next deliveries of a filter. */
export async function redeliverStep(sql: Sql, work: Work<SelectedDeliveries>): Promise<PageResult> {
  const { filter } = work.selection
  const { deliveryIds, reachedId, isLast } = await selectPage(sql, work, filter, work.id)
  // A delivery stands on the page of each attempt that matches. The first of these pages changes it.
  const unchangedSince = filter.anyAttempt ? timestampOf(work.id) : null
  const changed = await redeliverPage(sql, deliveryIds, unchangedSince)
  return { changed, reachedId, isLast }
}
