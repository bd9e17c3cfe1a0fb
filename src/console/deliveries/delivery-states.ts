import { optionsOf } from '../components/filters/filter-params.ts'
import type { DeliveryState } from '../generated/graphql.ts'

export const DELIVERY_STATE_LABELS: Record<DeliveryState, string> = {
  QUEUED: 'Queued',
  RETRYING: 'Retrying',
  WAITING: 'Waiting',
  SUCCEEDED: 'Succeeded',
  EXHAUSTED: 'Exhausted',
  CANCELED: 'Canceled',
}

/** Options for a select. */
export const DELIVERY_STATES = optionsOf(DELIVERY_STATE_LABELS)

/** Whether no more attempts follow, unless somebody redelivers the delivery. */
export function isFinished(state: DeliveryState): boolean {
  return state === 'SUCCEEDED' || state === 'EXHAUSTED' || state === 'CANCELED'
}
