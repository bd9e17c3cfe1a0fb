import { Box, Checkbox, Group, Stack } from '@mantine/core'
import { useEffect, useMemo, useState } from 'react'
import { problemOf } from '../api/problem.ts'
import { useRead } from '../api/use-read.ts'
import { List } from '../components/lists/list.tsx'
import { NoneFound } from '../components/lists/none-found.tsx'
import { useCursors } from '../components/lists/use-cursors.ts'
import { Empty } from '../components/page/empty.tsx'
import { usePanel } from '../components/use-panel.ts'
import { type JobState, JobsPageDocument } from '../generated/graphql.ts'
import { Freshness } from './freshness.tsx'
import { type CommandResult, JobActions } from './job-actions.tsx'
import { jobColumns } from './job-columns.tsx'
import { JobDetails } from './job-details.tsx'
import { JobOutcomes } from './job-outcomes.tsx'
import { REFRESH_EVERY_MS } from './refresh.ts'
import { useAtWork } from './use-at-work.ts'
import { useEvery } from './use-every.ts'
import { useLast } from './use-last.ts'
import { useSteadyRows } from './use-steady-rows.ts'

interface JobListProps {
  readonly task: string | null
  readonly state: JobState | null
  readonly active: boolean
  clear(): void
}

const NOBODY: ReadonlySet<string> = new Set()

/** The jobs themselves, read again every few seconds, to be selected and changed. */
export function JobList({ task, state, active, clear }: JobListProps) {
  const cursors = useCursors()
  const opened = usePanel('job')
  const [selected, setSelected] = useState(NOBODY)
  const [result, setResult] = useState<CommandResult | null>(null)
  const { atWork, handlers } = useAtWork()
  const variables = { task, state, ...cursors.variables }
  const listKey = JSON.stringify(variables)
  const context = useMemo(() => ({ additionalTypenames: ['Job'] }), [])
  const { data, error, stale, reload } = useRead(JobsPageDocument, variables, { context })
  const [settledKey, setSettledKey] = useState<string | null>(null)
  useEvery(REFRESH_EVERY_MS, reload)

  useEffect(() => {
    if (data && !stale) setSettledKey(listKey)
  }, [data, stale, listKey])
  // biome-ignore lint/correctness/useExhaustiveDependencies: another list is another selection
  useEffect(() => setSelected(NOBODY), [listKey])

  const settled = settledKey === listKey
  const held = atWork || selected.size > 0 || opened.id !== null
  const last = useLast(data?.jobs)
  const jobs = data?.jobs ?? (settled ? last : undefined)
  const steady = useSteadyRows(jobs?.nodes, { listKey, settled, held })
  const rows = steady.rows
  const ids = rows?.filter(({ id }) => selected.has(id)).map(({ id }) => id) ?? []
  const isAll = ids.length > 0 && ids.length === rows?.length

  function toggle(id: string) {
    const next = new Set(selected)
    if (!next.delete(id)) next.add(id)
    setSelected(next)
  }

  function finish(done: CommandResult) {
    setResult(done)
    // Those that a worker has stay selected, to try again.
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
            onChange={() => setSelected(isAll ? NOBODY : new Set(rows?.map(({ id }) => id)))}
          />
          <JobActions ids={ids} onDone={finish} />
        </Group>
        <Freshness
          problem={error && rows ? problemOf(error).message : null}
          more={settled ? steady.more : 0}
          fewer={settled ? steady.fewer : 0}
          onShow={steady.showNow}
        />
      </Group>
      <Box {...handlers}>
        <List
          label="Jobs, in the order they were added"
          columns={jobColumns({
            selected,
            opened: opened.id,
            toggle,
            openingOf: (id) => (id === null ? opened.closed : opened.to(id)),
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
              <NoneFound what="job" clear={clear} />
            ) : (
              <Empty title="Nothing is to be done">
                Deliveries that are queued, or wait for their next attempt, appear here.
              </Empty>
            )
          }
        />
      </Box>
    </Stack>
  )
}
