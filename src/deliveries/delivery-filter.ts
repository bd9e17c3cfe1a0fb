import type { IndexedDeliveryState, Prisma } from '../db/generated/prisma/client.ts'
import type { AddValue } from '../db/parameters.ts'
import type { SearchKey } from '../event-types/find-search-key.ts'
import { lowerBoundAt } from '../lib/uuid-v7.ts'
import type { AttemptFilter } from './attempts/attempt-filter.ts'
import type { DeliveryState } from './delivery-state.ts'
import type { StatusClass } from './status-class.ts'

/** Conditions on deliveries. A missing or null field matches every delivery. */
export interface DeliveryFilter {
  readonly webhookUuid?: string | null | undefined
  /** One of these webhooks. */
  readonly webhookUuids?: readonly string[] | null | undefined
  readonly states?: readonly DeliveryState[] | null | undefined
  /** The status classes of the last attempt. */
  readonly statusClasses?: readonly StatusClass[] | null | undefined
  readonly eventType?: string | null | undefined
  /** One of these event types. */
  readonly eventTypes?: readonly string[] | null | undefined
  /** A value in the data of the event. */
  readonly key?: SearchKey | null | undefined
  /** The earliest time of creation. */
  readonly since?: Date | null | undefined
  /** Created before this time. */
  readonly until?: Date | null | undefined
  /** At least one attempt matches. */
  readonly anyAttempt?: AttemptFilter | null | undefined
}

/**
 * One range of an index. No index has `state` and `last_status_class`, because they change with every attempt. The
 * indexes have generated columns instead; `indexed_state` is null for deliveries that have succeeded or are fresh.
 */
export interface IndexRange {
  readonly indexedState?: IndexedDeliveryState | { readonly in: IndexedDeliveryState[] } | null
  readonly indexedStatusClass?: StatusClass
  readonly state?: 'pending' | 'succeeded'
  /** Only deliveries that are too new for the index of states. */
  readonly fresh?: true
}

/** The index ranges of a filter's states and status classes. The ranges do not overlap. */
export function indexRanges(filter: DeliveryFilter): IndexRange[] {
  const states = filter.states ? [...new Set(filter.states)] : null
  const classes = filter.statusClasses ? [...new Set(filter.statusClasses)] : null
  if (classes === null) return states ? states.flatMap(rangesOfState) : [{}]
  const unfinished = states?.filter((state) => state !== 'succeeded')
  const listed =
    unfinished?.length === 0
      ? []
      : classes.map(
          (indexedStatusClass): IndexRange => ({
            indexedStatusClass,
            ...(unfinished && { indexedState: oneOf(unfinished) }),
          }),
        )
  const hasSucceeded = classes.includes(2) && (states === null || states.includes('succeeded'))
  return [...listed, ...(hasSucceeded ? rangesOfState('succeeded') : [])]
}

function rangesOfState(state: DeliveryState): IndexRange[] {
  if (state === 'succeeded') return [{ indexedState: null, state }]
  const listed = { indexedState: state }
  return state === 'queued'
    ? [listed, { indexedState: null, state: 'pending', fresh: true }]
    : [listed]
}

function oneOf(
  states: IndexedDeliveryState[],
): IndexedDeliveryState | { readonly in: IndexedDeliveryState[] } {
  const [state, second] = states
  return state && !second ? state : { in: states }
}

/** The filter for Prisma, or `null` if it does not read exactly one range of an index. */
export function toWhere(filter: DeliveryFilter): Prisma.DeliveryWhereInput | null {
  const { webhookUuid, webhookUuids, eventType, eventTypes, since, until, anyAttempt } = filter
  const [range, second] = indexRanges(filter)
  if (!range || second || range.fresh || anyAttempt || webhookUuids || eventTypes) return null
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

/** SQL: the filter's conditions on the deliveries `d`, without those of its index ranges. */
export function sharedConditions(filter: DeliveryFilter, add: AddValue): string[] {
  const { webhookUuid, webhookUuids, eventType, eventTypes, since, until } = filter
  return [
    ...(webhookUuid ? [`d.webhook_id = ${add(webhookUuid)}`] : []),
    ...(webhookUuids ? [`d.webhook_id = any (${add(webhookUuids)}::uuid[])`] : []),
    ...(typeof eventType === 'string' ? [`d.event_type = ${add(eventType)}`] : []),
    ...(eventTypes ? [`d.event_type = any (${add(eventTypes)}::text[])`] : []),
    ...(since ? [`d.id >= ${add(lowerBoundAt(since))}`] : []),
    ...(until ? [`d.id < ${add(lowerBoundAt(until))}`] : []),
  ]
}

/** SQL: the conditions of an index range on the deliveries `d`. Literals, so that Postgres can use partial indexes. */
export function rangeConditions(range: IndexRange): string[] {
  const { indexedState, indexedStatusClass, state, fresh } = range
  return [
    ...(indexedState === undefined ? [] : [indexedStateCondition(indexedState)]),
    ...(indexedStatusClass === undefined ? [] : [`d.indexed_status_class = ${indexedStatusClass}`]),
    ...(state ? [`d.state = '${state}'`] : []),
    ...(fresh
      ? [`d.id >= (select reached_id from posthorn.cursors where name = 'index_backfill')`]
      : []),
  ]
}

function indexedStateCondition(state: NonNullable<IndexRange['indexedState']> | null): string {
  if (state === null) return 'd.indexed_state is null'
  if (typeof state === 'string') return `d.indexed_state = '${state}'`
  return `d.indexed_state in (${state.in.map((each) => `'${each}'`).join(', ')})`
}
