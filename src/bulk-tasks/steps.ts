import type { Keyring } from '../auth/encryption/keyring.ts'
import type { Sql } from '../db/client.ts'
import { cancelDeliveries } from '../deliveries/cancel-deliveries.ts'
import { redeliverPage } from '../deliveries/delivery.ts'
import type { DeliveryFilter } from '../deliveries/delivery-filter.ts'
import { timestampOf } from '../lib/uuid-v7.ts'
import { deletionStep } from '../organizations/deletion/delete-rows.ts'
import {
  FIRST_ID,
  type PageResult,
  pauseBeforePass,
  type Steps,
  type Work,
} from '../queue/long-work.ts'
import { eraseStep } from './erase.ts'
import { recoverStep } from './recover.ts'
import { type SelectedDeliveries, selectPage } from './selected-deliveries.ts'

/** What one page of each kind of work does. */
export const createSteps = (keyring: Keyring): Steps => ({
  redeliver: redeliverStep,
  cancel: (sql, work) => cancelPage(sql, work, work.selection.filter, work.id),
  recover: recoverStep,
  erase: (sql, work) => eraseStep(keyring, sql, work),
  delete_webhook: deleteWebhookStep,
  delete_organization: deletionStep,
})

async function redeliverStep(sql: Sql, work: Work<SelectedDeliveries>): Promise<PageResult> {
  const { filter } = work.selection
  const { deliveryIds, reachedId, isLast } = await selectPage(sql, work, filter, work.id)
  // A delivery stands on the page of each attempt that matches. The first of these pages changes it.
  const unchangedSince = filter.anyAttempt ? timestampOf(work.id) : null
  const changed = await redeliverPage(sql, deliveryIds, unchangedSince)
  return { changed, reachedId, isLast }
}

/**
 * Cancels the next deliveries of a deleted webhook. Passes go on until one has begun after the transactions that were
 * publishing during the deletion: their deliveries can be behind the cursor.
 */
async function deleteWebhookStep(sql: Sql, work: Work<unknown>): Promise<PageResult> {
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

/** Cancels the next deliveries of a filter. Those that are newer than the task `newest` are not selected. */
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
