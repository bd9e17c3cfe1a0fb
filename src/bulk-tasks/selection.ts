import type { DeliveryFilter } from '../deliveries/delivery-filter.ts'
import type { Unsent } from '../deliveries/erase-events.ts'

/** What a task changes: the deliveries that match a filter, those of a recovery, or the events of an erasure. */
export type Selection = { readonly filter: DeliveryFilter } | Recovery | Erasure

/** The events with these uuids, or those with a value at a search key, here its path. */
export interface Erasure {
  readonly eventIds?: readonly string[]
  readonly searchKey?: string
  /** What becomes of their deliveries that are not sent yet. */
  readonly unsent: Unsent
}

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
