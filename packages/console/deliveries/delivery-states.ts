import { optionsOf } from '../components/filters/filter-params.ts'
import type { DeliveryState } from '../generated/graphql.ts'
import { key } from '../language/t.ts'

export const DELIVERY_STATE_LABELS: Record<DeliveryState, string> = {
  QUEUED: key('Queued'),
  RETRYING: key('Retrying'),
  WAITING: key('Waiting'),
  SUCCEEDED: key('Succeeded'),
  EXHAUSTED: key('Exhausted'),
  CANCELED: key('Canceled'),
}

/** Options for a select. */
export const DELIVERY_STATES = optionsOf(DELIVERY_STATE_LABELS)

/** Whether no more attempts follow, unless somebody redelivers the delivery. */
export function isFinished(state: DeliveryState): boolean {
  return state === 'SUCCEEDED' || state === 'EXHAUSTED' || state === 'CANCELED'
}
