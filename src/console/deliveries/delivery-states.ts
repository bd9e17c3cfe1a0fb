import { optionsOf } from '../components/filters/filter-params.ts'
import type { DeliveryState } from '../generated/graphql.ts'
import { t } from '../language/t.ts'

export const DELIVERY_STATE_LABELS: Record<DeliveryState, string> = {
  QUEUED: t('Queued'),
  RETRYING: t('Retrying'),
  WAITING: t('Waiting'),
  SUCCEEDED: t('Succeeded'),
  EXHAUSTED: t('Exhausted'),
  CANCELED: t('Canceled'),
}

/** Options for a select. */
export const DELIVERY_STATES = optionsOf(DELIVERY_STATE_LABELS)

/** Whether no more attempts follow, unless somebody redelivers the delivery. */
export function isFinished(state: DeliveryState): boolean {
  return state === 'SUCCEEDED' || state === 'EXHAUSTED' || state === 'CANCELED'
}
