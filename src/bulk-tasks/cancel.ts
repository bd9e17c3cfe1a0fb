import type { Sql } from '../db/client.ts'
import { cancelDeliveries } from '../deliveries/cancel-deliveries.ts'
import type { DeliveryFilter } from '../deliveries/delivery-filter.ts'
import { FIRST_ID, type PageResult, pauseBeforePass, type Work } from '../queue/long-work.ts'
import { type SelectedDeliveries, selectPage } from './selected-deliveries.ts'

/** Cancels the next deliveries of a filter. */
export async function cancelStep(sql: Sql, work: Work<SelectedDeliveries>): Promise<PageResult> {
  return await cancelPage(sql, work, work.selection.filter, work.id)
}

/**
 * Cancels the next deliveries of a deleted webhook. Passes go on until one has begun after the transactions that were
 * publishing during the deletion: their deliveries can be behind the cursor.
 */
export async function deleteWebhookStep(sql: Sql, work: Work<unknown>): Promise<PageResult> {
  const { id, webhookId, isSettled, progress } = work
  if (webhookId === null) throw new Error(`The task ${id} names no webhook.`)
  const filter: DeliveryFilter = {
    webhookUuids: [webhookId],
    states: ['queued', 'retrying', 'waiting'],
  }
  const page = await cancelPage(sql, work, filter, null)
  if (!page.isLast || (progress as { readonly wasSettled?: boolean }).wasSettled) return page
  const waitMs = isSettled ? 0 : pauseBeforePass(id)
  return {
    ...page,
    isLast: false,
    reachedId: FIRST_ID,
    progress: { wasSettled: isSettled },
    waitMs,
  }
}

async function cancelPage(
  sql: Sql,
  work: Work<unknown>,
  filter: DeliveryFilter,
  newest: string | null,
): Promise<PageResult> {
  const { deliveryIds, reachedId, isLast } = await selectPage(sql, work, filter, newest)
  const canceled = (await cancelDeliveries(sql, deliveryIds, null)).length
  return { changed: canceled, canceled, reachedId, isLast }
}
