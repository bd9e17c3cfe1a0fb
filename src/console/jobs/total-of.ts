import type { JobState, JobsSummaryQuery } from '../generated/graphql.ts'

export interface Total {
  readonly count: number
  /** Whether there may be more. */
  readonly isMore: boolean
}

/** How many jobs match the filters, from the counts by task and state. */
export function totalOf(
  counts: JobsSummaryQuery['jobCounts'] | undefined,
  task: string | null,
  state: JobState | null,
): Total {
  const matching = (counts ?? []).filter(
    (each) => (task === null || each.task === task) && (state === null || each.state === state),
  )
  return {
    count: matching.reduce((sum, { count }) => sum + count, 0),
    isMore: matching.some(({ countIsExact }) => !countIsExact),
  }
}
