import { useMemo } from 'react'
import { useRead } from '../api/use-read.ts'
import { useFilters } from '../components/filters/use-filters.ts'
import { NeedsScope } from '../components/page/needs-scope.tsx'
import { Page } from '../components/page/page.tsx'
import { JobsSummaryDocument } from '../generated/graphql.ts'
import { JobFilters } from './job-filters.tsx'
import { JobList } from './job-list.tsx'
import { parseJobState } from './job-state.tsx'
import { JobSummary } from './job-summary.tsx'
import { REFRESH_EVERY_MS } from './refresh.ts'
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
  const { values, set, active, clear } = useFilters(['task', 'state'])
  const context = useMemo(() => ({ additionalTypenames: ['Job', 'JobCount'] }), [])
  const { data, error, reload } = useRead(JobsSummaryDocument, {}, { context })
  const summary = useLastValue(data?.jobCounts)
  const state = parseJobState(values.state)
  usePolling(REFRESH_EVERY_MS, reload)
  return (
    <Page
      title="Jobs"
      description="The jobs in graphile-worker, of all organizations. A “deliver” job makes one attempt for a delivery. Completed jobs are removed. Refreshes every 5 seconds."
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
      <JobList task={values.task} state={state} active={active} clear={clear} />
    </Page>
  )
}
