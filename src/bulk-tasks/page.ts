import type { Selection } from './selection.ts'

/** A task with its row locked, so that only one process runs a page of it. */
export interface LockedTask<Selected = Selection> {
  readonly id: string
  readonly organizationId: string
  readonly action: 'redeliver' | 'cancel' | 'recover' | 'erase'
  readonly selection: Selected
  /** Null for an erasure. */
  readonly ratePerSecond: number | null
  /** The cursor: a delivery, an attempt or an event. */
  readonly reachedId: string
  readonly progress: object
  readonly waiting: number
  /** Whether every transaction that was open when the task started has ended, or is waited for no longer. */
  readonly isSettled: boolean
}

/** What a page did, and how the task goes on. A missing count is 0, and any other missing field stays as it is. */
export interface PageResult {
  readonly changed?: number
  readonly canceled?: number
  readonly waiting?: number
  readonly reachedId?: string | null
  readonly progress?: object
  /** The time until the next page. Default: as the rate of the task says. */
  readonly waitMs?: number
  readonly state?: 'completed' | 'failed'
  /** Why the task has failed: its owner reads it. */
  readonly failure?: string
}

/** The last page is an empty one, so that the wait after the last deliveries keeps the rate. */
export function endOf(changed: number, last: boolean): Pick<PageResult, 'state'> {
  return last && changed === 0 ? { state: 'completed' } : {}
}
