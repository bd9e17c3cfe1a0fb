import type { DeliveryState, Prisma } from '../db/generated/prisma/client.ts'
import { lowerBoundAt } from '../lib/uuid-v7.ts'

/** The first digit of a status; 0 stands for no response. */
export type StatusClass = 0 | 2 | 3 | 4 | 5

/** Which deliveries. What is missing or null does not matter. */
export interface DeliveryFilter {
  readonly webhookUuid?: string | null | undefined
  readonly state?: DeliveryState | null | undefined
  /** Of the response to the last attempt. */
  readonly statusClass?: StatusClass | null | undefined
  readonly eventType?: string | null | undefined
  /** When it was made: from `since` on, and before `until`. */
  readonly since?: Date | null | undefined
  readonly until?: Date | null | undefined
}

/**
 * One range of an index. `state` and `last_status_class` change with every attempt, so they are in no index; what is
 * made of them is (see the migration `search_and_count`), and where that is null, a delivery succeeded or is fresh.
 */
export interface IndexRange {
  readonly indexedState?: DeliveryState | null
  readonly indexedStatusClass?: StatusClass
  readonly state?: DeliveryState
  /** Only what is too young to be in the index of states. */
  readonly fresh?: true
}

/** The ranges that together hold the deliveries of a state and a status class. They do not overlap. */
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

/** The filter for Prisma, when one range of an index holds all; null otherwise. */
export function toWhere(filter: DeliveryFilter): Prisma.DeliveryWhereInput | null {
  const { webhookUuid, eventType, since, until } = filter
  const [range, another] = indexRanges(filter)
  if (!range || another || range.fresh) return null
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

/** Adds a value to the parameters of a statement and answers its placeholder. */
export type AddValue = (value: unknown) => string

/** SQL: the conditions of the filter on the deliveries `d`, but for those of its ranges. */
export function sharedConditions(filter: DeliveryFilter, add: AddValue): string[] {
  const { webhookUuid, eventType, since, until } = filter
  return [
    ...(webhookUuid ? [`d.webhook_id = ${add(webhookUuid)}`] : []),
    ...(typeof eventType === 'string' ? [`d.event_type = ${add(eventType)}`] : []),
    ...(since ? [`d.id >= ${add(lowerBoundAt(since))}`] : []),
    ...(until ? [`d.id < ${add(lowerBoundAt(until))}`] : []),
  ]
}

/** SQL: the conditions of a range on the deliveries `d`. Literals, so that partial indexes and plans fit. */
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
