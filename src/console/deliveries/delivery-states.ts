import type { DeliveryState } from '../generated/graphql.ts'

const ALL: Record<DeliveryState, true> = {
  QUEUED: true,
  RETRYING: true,
  WAITING: true,
  SUCCEEDED: true,
  EXHAUSTED: true,
  CANCELED: true,
}

/** Every state, for reading them from an address. */
export const STATES = (Object.keys(ALL) as DeliveryState[]).map((value) => ({ value }))
