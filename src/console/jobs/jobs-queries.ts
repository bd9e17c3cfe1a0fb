import { pageQuery } from '../api/page-query.ts'
import { optionsOf } from '../components/filters/filter-params.ts'
import { readFilters } from '../components/filters/use-filters.ts'
import { readCursors } from '../components/lists/use-cursors.ts'
import { type JobState, JobsPageDocument } from '../generated/graphql.ts'

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

export const jobsQuery = pageQuery(
  JobsPageDocument,
  ({ search, session }) => {
    const { task, state } = readFilters(JOB_FILTERS, search)
    if (!session.can('admin')) return null
    return { task, state: parseJobState(state), ...readCursors(search) }
  },
  ['Job'],
)
