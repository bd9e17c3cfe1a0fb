import { pageQuery } from '../api/page-query.ts'
import { readFilters } from '../components/filters/use-filters.ts'
import { readCursors } from '../components/lists/use-cursors.ts'
import { type JobState, JobsPageDocument, JobsSummaryDocument } from '../generated/graphql.ts'

export const JOB_FILTERS = ['task', 'state'] as const

const STATES: Readonly<Record<JobState, true>> = {
  DUE: true,
  SCHEDULED: true,
  RUNNING: true,
  FAILED: true,
}

export const JOB_STATES = Object.keys(STATES) as JobState[]

/** Parses a query parameter; null for an unknown state. */
export function parseJobState(text: string | null): JobState | null {
  return JOB_STATES.find((state) => state === text) ?? null
}

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
