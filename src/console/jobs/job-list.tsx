import { Box, Checkbox, Group, Stack } from '@mantine/core'
import { useEffect, useMemo, useState } from 'react'
import { describeError } from '../api/request-error.ts'
import { useRead } from '../api/use-read.ts'
import { List } from '../components/lists/list.tsx'
import { NoMatches } from '../components/lists/no-matches.tsx'
import { useCursors } from '../components/lists/use-cursors.ts'
import { EmptyState } from '../components/page/empty-state.tsx'
import { usePanel } from '../components/use-panel.ts'
import { type JobState, JobsPageDocument } from '../generated/graphql.ts'
import { type CommandResult, JobActions } from './job-actions.tsx'
import { jobColumns } from './job-columns.tsx'
import { JobDetails } from './job-details.tsx'
import { JobOutcomes } from './job-outcomes.tsx'
import { REFRESH_EVERY_MS } from './refresh.ts'
import { StaleNotice } from './stale-notice.tsx'
import { useInteraction } from './use-interaction.ts'
import { useLastValue } from './use-last-value.ts'
import { usePolling } from './use-polling.ts'
import { useStableRows } from './use-stable-rows.ts'

interface JobListProps {
  readonly task: string | null
  readonly state: JobState | null
  readonly active: boolean
  clear(): void
}

const NO_SELECTION: ReadonlySet<string> = new Set()

/** The list of jobs. It reloads every few seconds, and its jobs can be selected and changed. */
export function JobList({ task, state, active, clear }: JobListProps) {
  const cursors = useCursors()
  const opened = usePanel('job')
  const [selected, setSelected] = useState(NO_SELECTION)
  const [result, setResult] = useState<CommandResult | null>(null)
  const { interacting, handlers } = useInteraction()
  const variables = { task, state, ...cursors.variables }
  const listKey = JSON.stringify(variables)
  const context = useMemo(() => ({ additionalTypenames: ['Job'] }), [])
  const { data, error, stale, reload } = useRead(JobsPageDocument, variables, { context })
  const [settledKey, setSettledKey] = useState<string | null>(null)
  usePolling(REFRESH_EVERY_MS, reload)

  useEffect(() => {
    if (data && !stale) setSettledKey(listKey)
  }, [data, stale, listKey])
  // biome-ignore lint/correctness/useExhaustiveDependencies: another list has another selection
  useEffect(() => setSelected(NO_SELECTION), [listKey])

  const settled = settledKey === listKey
  const frozen = interacting || selected.size > 0 || opened.id !== null
  const last = useLastValue(data?.jobs)
  const jobs = data?.jobs ?? (settled ? last : undefined)
  const stable = useStableRows(jobs?.nodes, { listKey, settled, frozen })
  const rows = stable.rows
  const ids = rows?.filter(({ id }) => selected.has(id)).map(({ id }) => id) ?? []
  const isAll = ids.length > 0 && ids.length === rows?.length

  function toggle(id: string) {
    const next = new Set(selected)
    if (!next.delete(id)) next.add(id)
    setSelected(next)
  }

  function finish(done: CommandResult) {
    setResult(done)
    // Running jobs stay selected, to try again.
    const running = done.changes.filter(({ outcome }) => outcome === 'RUNNING')
    setSelected(new Set(running.map(({ id }) => id)))
  }

  return (
    <Stack gap="sm">
      {result && <JobOutcomes result={result} onClose={() => setResult(null)} />}
      <Group justify="space-between" mih={30}>
        <Group gap="md">
          <Checkbox
            label={ids.length > 0 ? `${ids.length} selected` : 'Select all on this page'}
            aria-label="Select all on this page"
            disabled={!rows?.length}
            checked={isAll}
            indeterminate={ids.length > 0 && !isAll}
            onChange={() => setSelected(isAll ? NO_SELECTION : new Set(rows?.map(({ id }) => id)))}
          />
          <JobActions ids={ids} onDone={finish} />
        </Group>
        <StaleNotice
          error={error && rows ? describeError(error).message : null}
          more={settled ? stable.more : 0}
          fewer={settled ? stable.fewer : 0}
          onShow={stable.showNow}
        />
      </Group>
      <Box {...handlers}>
        <List
          label="Jobs, oldest first"
          columns={jobColumns({
            selected,
            opened: opened.id,
            toggle,
            detailsUrl: (id) => (id === null ? opened.closed : opened.to(id)),
          })}
          rows={rows}
          keyOf={({ id }) => id}
          detail={(job) => job.id === opened.id && <JobDetails job={job} />}
          error={error}
          stale={!settled}
          retry={reload}
          pages={{ info: jobs?.pageInfo, cursors }}
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
      </Box>
    </Stack>
  )
}
