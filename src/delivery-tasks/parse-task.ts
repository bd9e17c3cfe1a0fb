import { parseId } from '../db/ids.ts'
import type { DeliveryFilter } from '../deliveries/delivery-filter.ts'
import type { DeliveryState } from '../deliveries/delivery-state.ts'
import { type FieldIssue, invalid } from '../lib/errors.ts'
import type { TaskSelection } from './task-selection.ts'

export type TaskAction = 'redeliver' | 'cancel'

/** The input of a caller. A missing or null field has its default. */
export interface TaskInput {
  /** Public ids. */
  readonly ids?: readonly string[] | null | undefined
  readonly filter?: DeliveryFilter | null | undefined
  readonly ratePerSecond?: number | null | undefined
}

export interface ParsedTask extends TaskSelection {
  readonly ratePerSecond: number
}

export const MAX_IDS = 1_000
export const MAX_RATE_PER_SECOND = 5_000
export const DEFAULT_RATE_PER_SECOND = 500

/** The states that an action changes, and those that a filter without states selects. */
const STATES: Record<TaskAction, { allowed: readonly DeliveryState[]; default: DeliveryState[] }> =
  {
    redeliver: {
      allowed: ['retrying', 'succeeded', 'exhausted', 'canceled'],
      default: ['retrying', 'exhausted'],
    },
    cancel: {
      allowed: ['queued', 'retrying', 'waiting'],
      default: ['queued', 'retrying', 'waiting'],
    },
  }

/** Fills in the defaults. Throws `invalid` with every broken rule. */
export function parseTask(
  action: TaskAction,
  { ids, filter, ratePerSecond }: TaskInput,
): ParsedTask {
  const rate = ratePerSecond ?? DEFAULT_RATE_PER_SECOND
  const deliveryIds = ids?.map((id) => parseId('delivery', id)) ?? null
  const issues = [
    ...selectionIssues(ids, filter),
    ...(ids && deliveryIds ? idIssues(ids, deliveryIds) : []),
    ...(filter ? filterIssues(action, filter) : []),
    ...rateIssues(rate),
  ]
  if (issues.length > 0) throw invalid(issues)
  return {
    deliveryIds: deliveryIds && [...new Set(deliveryIds.filter((id) => id !== null))],
    filter: filter ? { ...filter, states: filter.states ?? STATES[action].default } : null,
    ratePerSecond: rate,
  }
}

function selectionIssues(ids: TaskInput['ids'], filter: TaskInput['filter']): FieldIssue[] {
  if ((ids == null) !== (filter == null)) return []
  return [{ path: ['ids'], code: 'ids_or_filter', detail: 'Give either ids or filter.' }]
}

function idIssues(ids: readonly string[], uuids: readonly (string | null)[]): FieldIssue[] {
  if (ids.length === 0)
    return [{ path: ['ids'], code: 'required', detail: 'ids must not be empty.' }]
  const unknown = uuids.flatMap((uuid, i) =>
    uuid === null
      ? [
          {
            path: ['ids', i],
            code: 'invalid_id' as const,
            detail: `ids.${i} must be the id of a delivery: msg_….`,
          },
        ]
      : [],
  )
  if (ids.length <= MAX_IDS) return unknown
  const detail = `ids must have at most ${MAX_IDS.toLocaleString('en')} entries, not ${ids.length.toLocaleString('en')}. Use a filter for more.`
  return [{ path: ['ids'], code: 'too_many', detail }]
}

function filterIssues(action: TaskAction, { states, ...filter }: DeliveryFilter): FieldIssue[] {
  const { allowed } = STATES[action]
  const others = states?.filter((state) => !allowed.includes(state)) ?? []
  const issues: FieldIssue[] = []
  if (others.length > 0) {
    const names = allowed.map((state) => state.toUpperCase()).join(', ')
    const detail = `filter.states must be among ${names}. ${action === 'redeliver' ? 'An attempt of the others follows without a redelivery.' : 'The others have finished.'}`
    issues.push({ path: ['filter', 'states'], code: 'wrong_state', detail })
  }
  if (states == null && Object.values(filter).every((value) => value == null)) {
    const detail =
      'filter must have at least one condition. Give states to select all deliveries in these states.'
    issues.push({ path: ['filter'], code: 'empty_filter', detail })
  }
  return issues
}

function rateIssues(rate: number): FieldIssue[] {
  if (rate >= 1 && rate <= MAX_RATE_PER_SECOND) return []
  const detail = `ratePerSecond must be from 1 to ${MAX_RATE_PER_SECOND.toLocaleString('en')}, not ${rate}.`
  return [{ path: ['ratePerSecond'], code: 'out_of_range', detail }]
}
