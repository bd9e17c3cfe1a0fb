import { Box, Button, Stack } from '@mantine/core'
import { useFocusWithin, useHover, useMergedRef } from '@mantine/hooks'
import { useEffect, useState } from 'react'
import { describeError } from '../../api/request-error.ts'
import { usePolling } from '../../api/use-polling.ts'
import { useRead } from '../../api/use-read.ts'
import { List } from '../../components/lists/list.tsx'
import { useCursors } from '../../components/lists/use-cursors.ts'
import { EmptyState, NoMatches } from '../../components/page/empty-state.tsx'
import { SelectionBar } from '../../components/selection/selection-bar.tsx'
import { useSelection } from '../../components/selection/use-selection.ts'
import { usePanel } from '../../components/use-panel.ts'
import type { JobState } from '../../generated/graphql.ts'
import { formatCount, plural } from '../../lib/format.ts'
import { type CommandResult, JobActions } from '../commands/job-actions.tsx'
import { JobOutcomes } from '../commands/job-outcomes.tsx'
import { jobsQuery, REFRESH_EVERY_MS, type Total } from '../jobs-queries.ts'
import { jobColumns } from './job-columns.tsx'
import { JobDetails } from './job-details.tsx'
import { StaleNotice } from './stale-notice.tsx'
import { useLastValue, useStableRows } from './use-stable-rows.ts'

interface JobListProps {
  readonly task: string | null
  readonly state: JobState | null
  /** How many jobs match. */
  readonly total: Total
  readonly active: boolean
  clear(): void
}

/** The list of jobs. It reloads every few seconds, and its jobs can be selected and changed. */
export function JobList({ task, state, total, active, clear }: JobListProps) {
  const cursors = useCursors()
  const opened = usePanel('job')
  const [result, setResult] = useState<CommandResult | null>(null)
  const { ref: hoverRef, hovered } = useHover()
  const { ref: focusRef, focused } = useFocusWithin()
  const box = useMergedRef(hoverRef, focusRef)
  const variables = { task, state, ...cursors.variables }
  const listKey = JSON.stringify(variables)
  const { data, error, stale, reload } = useRead(jobsQuery.query, variables, {
    context: jobsQuery.context,
  })
  const [settledKey, setSettledKey] = useState<string | null>(null)
  const [selecting, setSelecting] = useState(false)
  usePolling(REFRESH_EVERY_MS, reload)

  useEffect(() => {
    if (data && !stale) setSettledKey(listKey)
  }, [data, stale, listKey])

  const settled = settledKey === listKey
  const frozen = hovered || focused || selecting || opened.id !== null
  const last = useLastValue(data?.jobs)
  const jobs = data?.jobs ?? (settled ? last : undefined)
  const stable = useStableRows(jobs?.nodes, { listKey, settled, frozen })
  const rows = stable.rows
  const shown = rows?.map(({ id }) => id) ?? []
  const selection = useSelection(shown, JSON.stringify({ task, state }))
  const isSelecting = selection.isAll || selection.ids.size > 0
  if (isSelecting !== selecting) setSelecting(isSelecting)
  const words = total.isMore ? `${formatCount(total.count)}+` : formatCount(total.count)

  function finish(done: CommandResult) {
    setResult(done)
    // Running jobs stay selected, to try again.
    selection.select(
      done.changes.filter(({ outcome }) => outcome === 'RUNNING').map(({ id }) => id),
    )
  }

  return (
    <Stack gap="sm">
      {result && <JobOutcomes result={result} onClose={() => setResult(null)} />}
      <div>
        <SelectionBar
          selection={selection}
          shown={shown}
          total={words}
          selectAll={
            total.count > shown.length && (
              <Button size="compact-xs" variant="subtle" onClick={selection.selectAll}>
                {`Select all ${words} that match`}
              </Button>
            )
          }
          always={
            <StaleNotice
              error={error && rows ? describeError(error).message : null}
              more={settled ? stable.more : 0}
              fewer={settled ? stable.fewer : 0}
              onShow={stable.showNow}
            />
          }
        >
          <JobActions
            target={selection.isAll ? { task, state } : { ids: [...selection.ids] }}
            jobs={
              selection.isAll
                ? `${words} ${total.isMore ? 'jobs' : plural(total.count, 'job', 'jobs')}`
                : `${formatCount(selection.ids.size)} ${plural(selection.ids.size, 'job', 'jobs')}`
            }
            onDone={finish}
          />
        </SelectionBar>
        <Box ref={box}>
          <List
            label="Jobs, oldest first"
            columns={jobColumns({
              selection,
              opened: opened.id,
              detailsUrl: (id) => (id === null ? opened.closed : opened.to(id)),
            })}
            rows={rows}
            keyOf={({ id }) => id}
            detail={(job) => job.id === opened.id && <JobDetails job={job} />}
            error={error}
            stale={!settled}
            reload={reload}
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
      </div>
    </Stack>
  )
}
