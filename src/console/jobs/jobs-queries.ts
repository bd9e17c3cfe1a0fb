import { pageQuery } from '../api/page-query.ts'
import { optionsOf } from '../components/filters/filter-params.ts'
import { readFilters } from '../components/filters/use-filters.ts'
import { readCursors } from '../components/lists/use-cursors.ts'
import {
  type JobState,
  JobsPageDocument,
  JobsSummaryDocument,
  type JobsSummaryQuery,
} from '../generated/graphql.ts'

export const JOB_FILTERS = ['task', 'state'] as const

export const JOB_STATE_LABELS: Record<JobState, string> = {
  DUE: 'Due',
  SCHEDULED: 'Scheduled',
  RUNNING: 'Running',
  FAILED: 'Failed',
}

/** Options for a select. */
export const JOB_STATES = optionsOf(JOB_STATE_LABELS)

/** Parses a query parameter; null for an unknown state. */
export function parseJobState(text: string | null): JobState | null {
  return JOB_STATES.find(({ value }) => value === text)?.value ?? null
}

/** How often the visible page reloads its jobs. */
export const REFRESH_EVERY_MS = 5_000

export const jobsSummaryQuery = pageQuery(
  JobsSummaryDocument,
  ({ session }) => (session.can('admin') ? {} : null),
  ['Job', 'JobCount'],
)

export const jobsQuery = pageQuery(
  JobsPageDocument,
  ({ search, session }) => {
    const { task, state } = readFilters(JOB_FILTERS, search)
    if (!session.can('admin')) return null
    return { task, state: parseJobState(state), ...readCursors(search) }
  },
  ['Job'],
)

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
