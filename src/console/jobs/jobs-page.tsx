import { usePageQuery } from '../api/page-query.ts'
import { useFilters } from '../components/filters/use-filters.ts'
import { NeedsScope } from '../components/page/needs-scope.tsx'
import { Page } from '../components/page/page.tsx'
import { JobFilters } from './job-filters.tsx'
import { JobList } from './job-list.tsx'
import { JobSummary } from './job-summary.tsx'
import { JOB_FILTERS, jobsSummaryQuery, parseJobState } from './jobs-queries.ts'
import { REFRESH_EVERY_MS } from './refresh.ts'
import { totalOf } from './total-of.ts'
import { useLastValue } from './use-last-value.ts'
import { usePolling } from './use-polling.ts'

/** For operators: graphile-worker's jobs. */
export default function JobsPage() {
  return (
    <NeedsScope scope="admin" title="Jobs">
      <Jobs />
    </NeedsScope>
  )
}

function Jobs() {
  const { values, set, active, clear } = useFilters(JOB_FILTERS)
  const { data, error, reload } = usePageQuery(jobsSummaryQuery)
  const summary = useLastValue(data?.jobCounts)
  const state = parseJobState(values.state)
  usePolling(REFRESH_EVERY_MS, reload)
  return (
    <Page
      title="Jobs"
      description="Background jobs of all organizations, in graphile-worker. A “deliver” job makes one attempt for a delivery. Finished jobs are removed. Refreshes every 5 seconds."
    >
      <JobSummary summary={summary} error={error} retry={reload} />
      <JobFilters
        task={values.task}
        state={state}
        tasks={[...new Set(summary?.map(({ task }) => task))]}
        active={active}
        set={set}
        clear={clear}
      />
      <JobList
        task={values.task}
        state={state}
        total={totalOf(summary, values.task, state)}
        active={active}
        clear={clear}
      />
    </Page>
  )
}
