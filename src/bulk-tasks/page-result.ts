/** What a page did, and how the task goes on. */
export interface PageResult {
  /** Deliveries that the page queued or canceled or, for a webhook with a backlog, parked. */
  readonly changed: number
  /** The new cursor. Missing or null if it stays where it is. */
  readonly reachedId?: string | null
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
