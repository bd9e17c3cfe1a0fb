import type { DeliveryState, Prisma } from '../db/generated/prisma/client.ts'
import type { SearchKey } from '../event-types/find-search-key.ts'
import { lowerBoundAt } from '../lib/uuid-v7.ts'

/** The first digit of an HTTP status. 0: no response. */
export type StatusClass = 0 | 2 | 3 | 4 | 5

/** Conditions on deliveries. A missing or null field matches every delivery. */
export interface DeliveryFilter {
  readonly webhookUuid?: string | null | undefined
  readonly state?: DeliveryState | null | undefined
  /** The status class of the last attempt. */
  readonly statusClass?: StatusClass | null | undefined
  readonly eventType?: string | null | undefined
  /** A value in the data of the event. */
  readonly key?: SearchKey | null | undefined
  /** The earliest time of creation. */
  readonly since?: Date | null | undefined
  /** Created before this time. */
  readonly until?: Date | null | undefined
}

/**
 * One range of an index. No index has `state` and `last_status_class`, because they change with every attempt. The
 * indexes have generated columns instead; `indexed_state` is null for deliveries that have succeeded or are fresh.
 */
export interface IndexRange {
  readonly indexedState?: DeliveryState | null
  readonly indexedStatusClass?: StatusClass
  readonly state?: DeliveryState
  /** Only deliveries that are too new for the index of states. */
  readonly fresh?: true
}

/** The index ranges of a filter's state and status class. The ranges do not overlap. */
export function indexRanges({ state, statusClass }: DeliveryFilter): IndexRange[] {
  if (statusClass == null) return state ? rangesOfState(state) : [{}]
  if (state === 'succeeded') return statusClass === 2 ? rangesOfState('succeeded') : []
  const listed = {
    indexedStatusClass: statusClass,
    ...(state && { indexedState: state }),
  }
  return statusClass === 2 && !state ? [listed, ...rangesOfState('succeeded')] : [listed]
}

function rangesOfState(state: DeliveryState): IndexRange[] {
  if (state === 'succeeded') return [{ indexedState: null, state }]
  const listed = { indexedState: state }
  return state === 'pending' ? [listed, { indexedState: null, state, fresh: true }] : [listed]
}

/** The filter for Prisma, or `null` if the filter needs several index ranges. */
export function toWhere(filter: DeliveryFilter): Prisma.DeliveryWhereInput | null {
  const { webhookUuid, eventType, since, until } = filter
  const [range, second] = indexRanges(filter)
  if (!range || second || range.fresh) return null
  return {
    ...range,
    ...(webhookUuid && { webhookId: webhookUuid }),
    ...(typeof eventType === 'string' && { eventType }),
    AND: [
      ...(since ? [{ id: { gte: lowerBoundAt(since) } }] : []),
      ...(until ? [{ id: { lt: lowerBoundAt(until) } }] : []),
    ],
  }
}

/** Adds a value to the parameters of a statement and returns its placeholder. */
export type AddValue = (value: unknown) => string

/** SQL: the filter's conditions on the deliveries `d`, without those of its index ranges. */
export function sharedConditions(filter: DeliveryFilter, add: AddValue): string[] {
  const { webhookUuid, eventType, since, until } = filter
  return [
    ...(webhookUuid ? [`d.webhook_id = ${add(webhookUuid)}`] : []),
    ...(typeof eventType === 'string' ? [`d.event_type = ${add(eventType)}`] : []),
    ...(since ? [`d.id >= ${add(lowerBoundAt(since))}`] : []),
    ...(until ? [`d.id < ${add(lowerBoundAt(until))}`] : []),
  ]
}

/** SQL: the conditions of an index range on the deliveries `d`. Literals, so that Postgres can use partial indexes. */
export function rangeConditions({
  indexedState,
  indexedStatusClass,
  state,
  fresh,
}: IndexRange): string[] {
  return [
    ...(indexedState === null ? ['d.indexed_state is null'] : []),
    ...(indexedState ? [`d.indexed_state = '${indexedState}'`] : []),
    ...(indexedStatusClass === undefined ? [] : [`d.indexed_status_class = ${indexedStatusClass}`]),
    ...(state ? [`d.state = '${state}'`] : []),
    ...(fresh
      ? [`d.id >= (select reached_id from posthorn.cursors where name = 'index_backfill')`]
      : []),
  ]
}
