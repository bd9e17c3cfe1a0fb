import { usePageQuery } from '../api/page-query.ts'
import { usePolling } from '../api/use-polling.ts'
import { FilterBar } from '../components/filters/filter-bar.tsx'
import { FilterSelect } from '../components/filters/filter-select.tsx'
import { useFilters } from '../components/filters/use-filters.ts'
import { Page } from '../components/page/page.tsx'
import { JobSummary } from './job-summary.tsx'
import {
  JOB_FILTERS,
  JOB_STATES,
  jobsSummaryQuery,
  parseJobState,
  REFRESH_EVERY_MS,
  totalOf,
} from './jobs-queries.ts'
import { JobList } from './list/job-list.tsx'
import { useLastValue } from './list/use-stable-rows.ts'

/** For operators: graphile-worker's jobs. */
export default function JobsPage() {
  const { values, set, active, clear } = useFilters(JOB_FILTERS)
  const { data, error, reload } = usePageQuery(jobsSummaryQuery)
  const summary = useLastValue(data?.jobCounts)
  const state = parseJobState(values.state)
  const tasks = new Set(summary?.map(({ task }) => task))
  if (values.task) tasks.add(values.task)
  usePolling(REFRESH_EVERY_MS, reload)
  return (
    <Page
      title="Jobs"
      description="Background jobs of all organizations, in graphile-worker. A “deliver” job makes one attempt for a delivery. Finished jobs are removed. Refreshes every 5 seconds."
    >
      <JobSummary summary={summary} error={error} reload={reload} />
      <FilterBar active={active} clear={clear}>
        <FilterSelect
          label="Task"
          searchable
          data={[...tasks]}
          value={values.task}
          onChange={(task) => set({ task })}
          w={200}
        />
        <FilterSelect
          label="State"
          data={JOB_STATES}
          value={state}
          onChange={(chosen) => set({ state: chosen })}
          w={150}
        />
      </FilterBar>
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
