import type { BulkTaskAction, DeliveryFilter, DeliveryState } from '../generated/graphql.ts'

/** What people do with the deliveries that they select. */
export type TargetAction = Extract<BulkTaskAction, 'REDELIVER' | 'CANCEL'>

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
