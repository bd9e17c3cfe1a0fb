import type { BulkTaskAction, DeliveryFilter, DeliveryState } from '../generated/graphql.ts'

/** What people do with the deliveries that they select. */
export type TargetAction = Exclude<BulkTaskAction, 'RECOVER'>

/** The deliveries of a bulk action: either ids or a filter. */
export type TaskTarget = { readonly ids: readonly string[] } | { readonly filter: DeliveryFilter }

/** The states that an action changes. */
const STATES: Record<TargetAction, readonly DeliveryState[]> = {
  REDELIVER: ['RETRYING', 'SUCCEEDED', 'EXHAUSTED', 'CANCELED'],
  CANCEL: ['QUEUED', 'RETRYING', 'WAITING'],
}

/** Without states in the filter of a redelivery, the server selects only these. */
const FAILED: readonly DeliveryState[] = ['RETRYING', 'EXHAUSTED']

/** The input for the API, without the states that the action cannot change. Null if none is left. */
export function targetInput(
  action: TargetAction,
  target: TaskTarget,
): { ids: string[] } | { filter: DeliveryFilter } | null {
  if ('ids' in target) return { ids: [...target.ids] }
  const { filter } = target
  const given = filter.states == null ? null : [filter.states].flat()
  const states = given?.filter((state) => STATES[action].includes(state))
  if (states?.length === 0) return null
  return {
    filter: { ...filter, states: states ?? [...(action === 'REDELIVER' ? FAILED : STATES.CANCEL)] },
  }
}

/** The deliveries that match, and that the action leaves alone: for the API, which groups them by state. */
export function restInput(
  action: TargetAction,
  target: TaskTarget,
): { ids: string[] } | { filter: DeliveryFilter } | null {
  if ('ids' in target) return { ids: [...target.ids] }
  const { filter } = target
  const changed = targetInput(action, target)
  const asked = changed && 'filter' in changed ? [changed.filter.states ?? []].flat() : []
  const given = filter.states == null ? ALL_STATES : [filter.states].flat()
  const states = given.filter((state) => !asked.includes(state))
  return states.length === 0 || filter.key != null ? null : { filter: { ...filter, states } }
}

const ALL_STATES: readonly DeliveryState[] = [
  ...(['QUEUED', 'RETRYING', 'WAITING', 'SUCCEEDED', 'EXHAUSTED', 'CANCELED'] as const),
]

/** Whether an action changes deliveries in a state, if they are selected by their ids. */
export const changesState = (action: TargetAction, state: DeliveryState) =>
  STATES[action].includes(state)
