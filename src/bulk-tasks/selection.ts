import type { DeliveryFilter } from '../deliveries/delivery-filter.ts'

/** Which deliveries a task changes: those that match a filter, or those of a recovery. */
export type Selection = { readonly filter: DeliveryFilter } | Recovery

/** What a webhook missed of the events that were published from `since` on and before `until`. */
export interface Recovery {
  readonly since: Date
  readonly until: Date
  /** Whether missed events that today's filter of the webhook refuses are delivered too. */
  readonly ignoreFilter: boolean
}

/** The selection in a row. JSON has the times as RFC 3339. */
export function readSelection(stored: string): Selection {
  return JSON.parse(stored, (key, json) =>
    (key === 'since' || key === 'until') && json !== null ? new Date(json) : json,
  )
}

/** A number of deliveries, counted up to a maximum. */
export interface SelectionCount {
  readonly count: number
  readonly exact: boolean
}

/** The id before all others: a cursor at the start. */
export const FIRST_ID = '00000000-0000-0000-0000-000000000000'
