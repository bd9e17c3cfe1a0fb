import type { AddValue } from '../db/parameters.ts'
import type { SearchKey } from '../event-types/find-search-key.ts'
import {
  type AttemptFilter,
  type StatusClass,
  type WebhookAndTime,
  webhookAndTimeConditions,
} from './attempts/attempt-filter.ts'
import { type DeliveryState, deliveryStateSql } from './delivery-state.ts'

/** Conditions on deliveries. A missing or null field matches every delivery. Times are those of creation. */
export interface DeliveryFilter extends WebhookAndTime {
  readonly states?: readonly DeliveryState[] | null | undefined
  /** The status classes of the last attempt. */
  readonly statusClasses?: readonly StatusClass[] | null | undefined
  readonly eventType?: string | null | undefined
  /** One of these event types. */
  readonly eventTypes?: readonly string[] | null | undefined
  /** A value in the data of the event. */
  readonly key?: SearchKey | null | undefined
  /** At least one attempt matches. */
  readonly anyAttempt?: AttemptFilter | null | undefined
}

/**
 * One range of an index. No index has `state` and `last_status_class`, because they change with every attempt. The
 * indexes have generated columns instead; `indexed_state` is null for deliveries that have succeeded or are fresh.
 */
export interface IndexRange {
  /** SQL: conditions on the deliveries `d`. Literals, so that Postgres can use partial indexes. */
  readonly conditions: readonly string[]
  /** Whether an index is for these conditions alone. */
  readonly hasIndex: boolean
}

/** The index ranges of a filter's states and status classes. The ranges do not overlap. */
export function indexRanges(filter: DeliveryFilter): IndexRange[] {
  const states = filter.states ? [...new Set(filter.states)] : null
  const classes = filter.statusClasses ? [...new Set(filter.statusClasses)] : null
  if (classes === null) {
    return states ? states.flatMap(rangesOfState) : [{ conditions: [], hasIndex: false }]
  }
  const unfinished = states?.filter((state) => state !== 'succeeded')
  const ofStates = unfinished ? [`d.indexed_state in ('${unfinished.join("', '")}')`] : []
  const listed = classes.map((statusClass) => ({
    conditions: [`d.indexed_status_class = ${statusClass}`, ...ofStates],
    hasIndex: true,
  }))
  const hasSucceeded = classes.includes(2) && (states === null || states.includes('succeeded'))
  return [
    ...(unfinished?.length === 0 ? [] : listed),
    ...(hasSucceeded ? rangesOfState('succeeded') : []),
  ]
}

function rangesOfState(state: DeliveryState): IndexRange[] {
  if (state === 'succeeded') {
    return [{ conditions: ['d.indexed_state is null', `d.state = 'succeeded'`], hasIndex: false }]
  }
  const listed = { conditions: [`d.indexed_state = '${state}'`], hasIndex: true }
  if (state !== 'queued') return [listed]
  // Those that are too new for the index of states.
  const fresh = `d.id >= (select reached_id from posthorn.cursors where name = 'index_backfill')`
  const conditions = ['d.indexed_state is null', `d.state = 'pending'`, fresh]
  return [listed, { conditions, hasIndex: true }]
}

/** SQL: the filter's conditions on the deliveries `d`, without those of its index ranges. */
export function sharedConditions(filter: DeliveryFilter, add: AddValue): string[] {
  const { eventType, eventTypes } = filter
  return [
    ...webhookAndTimeConditions('d', filter, add),
    ...(typeof eventType === 'string' ? [`d.event_type = ${add(eventType)}`] : []),
    ...(eventTypes ? [`d.event_type = any (${add(eventTypes)}::text[])`] : []),
  ]
}

/** SQL: the conditions on the columns of a delivery `d` that its id already found. */
export function columnConditions(filter: DeliveryFilter, add: AddValue): string[] {
  const { states, statusClasses } = filter
  return [
    ...sharedConditions(filter, add),
    ...(states ? [`${deliveryStateSql('d')} = any (${add(states)}::text[])`] : []),
    ...(statusClasses ? [`d.last_status_class = any (${add(statusClasses)}::smallint[])`] : []),
  ]
}
