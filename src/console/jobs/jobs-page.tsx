import { usePageQuery } from '../api/page-query.ts'
import { usePolling } from '../api/use-polling.ts'
import { FilterBar } from '../components/filters/filter-bar.tsx'
import { FilterSelect } from '../components/filters/filter-select.tsx'
import { useFilters } from '../components/filters/use-filters.ts'
import { List } from '../components/lists/list.tsx'
import { useCursors } from '../components/lists/use-cursors.ts'
import { EmptyState, NoMatches } from '../components/page/empty-state.tsx'
import { Page } from '../components/page/page.tsx'
import { usePanel } from '../components/use-panel.ts'
import { JOB_FILTERS, JOB_STATES, jobsQuery, parseJobState } from './jobs-queries.ts'
import { jobColumns } from './list/job-columns.tsx'
import { JobDetails } from './list/job-details.tsx'

/** How often the visible page reloads its jobs. */
const REFRESH_EVERY_MS = 5_000

/** For operators: graphile-worker's jobs. */
export default function JobsPage() {
  const { values, set, active, clear } = useFilters(JOB_FILTERS)
  const cursors = useCursors()
  const opened = usePanel('job')
  const { data, error, stale, reload } = usePageQuery(jobsQuery)
  usePolling(REFRESH_EVERY_MS, reload)
  const rows = data?.jobs?.nodes
  const tasks = new Set(rows?.map(({ task }) => task))
  if (values.task) tasks.add(values.task)
  return (
    <Page
      title="Jobs"
      description="Background jobs of all organizations, in graphile-worker. A “deliver” job makes one attempt for a delivery. Finished jobs are removed. Refreshes every 5 seconds."
    >
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
          value={parseJobState(values.state)}
          onChange={(state) => set({ state })}
          w={150}
        />
      </FilterBar>
      <List
        label="Jobs, newest first"
        columns={jobColumns({
          opened: opened.id,
          detailsUrl: (id) => (id === null ? opened.closed : opened.to(id)),
        })}
        rows={rows}
        keyOf={({ id }) => id}
        detail={(job) => job.id === opened.id && <JobDetails job={job} />}
        error={error}
        stale={stale}
        reload={reload}
        pages={{ info: data?.jobs?.pageInfo, cursors }}
        empty={
          active ? (
            <NoMatches noun="job" clear={clear} />
          ) : (
            <EmptyState title="No jobs">
              Each delivery that is queued or scheduled has a job here.
            </EmptyState>
          )
        }
      />
    </Page>
  )
}
