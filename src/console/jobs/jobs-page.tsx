import { usePageQuery } from '../api/page-query.ts'
import { useFilters } from '../components/filters/use-filters.ts'
import { NeedsScope } from '../components/page/needs-scope.tsx'
import { Page } from '../components/page/page.tsx'
import { t } from '../strings/t.ts'
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
    <NeedsScope scope="admin" title={t('jobs:title')}>
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
    <Page title={t('jobs:title')} description={t('jobs:description')}>
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
