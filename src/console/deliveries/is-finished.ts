import type { DeliveryState } from '../generated/graphql.ts'

/** Whether no more attempts follow, unless somebody redelivers the delivery. */
export function isFinished(state: DeliveryState): boolean {
  return state === 'SUCCEEDED' || state === 'EXHAUSTED' || state === 'CANCELED'
}
