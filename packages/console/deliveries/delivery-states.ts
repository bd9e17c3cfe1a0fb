import type { DeliveryState } from '../generated/graphql.ts'
import { t } from '../language/t.ts'

/** The word and the color of each state. */
export const DELIVERY: Record<DeliveryState, readonly [label: string, color: string]> = {
  QUEUED: [t('Queued'), 'blue'],
  RETRYING: [t('Retrying'), 'orange'],
  WAITING: [t('Waiting'), 'violet'],
  SUCCEEDED: [t('Succeeded'), 'green'],
  EXHAUSTED: [t('Exhausted'), 'red'],
  CANCELED: [t('Canceled'), 'gray'],
}

/** Options for a select. */
export const DELIVERY_STATES = Object.entries(DELIVERY).map(([value, [label]]) => ({
  value: value as DeliveryState,
  label,
}))

/** Whether no more attempts follow, unless somebody redelivers the delivery. */
export function isFinished(state: DeliveryState): boolean {
  return state === 'SUCCEEDED' || state === 'EXHAUSTED' || state === 'CANCELED'
}
