import { Anchor, Text } from '@mantine/core'
import { Link } from 'react-router'
import type { CombinedError } from 'urql'
import { type Column, List } from '../components/lists/list.tsx'
import { Section } from '../components/page/section.tsx'
import type { JobState, JobsSummaryQuery } from '../generated/graphql.ts'
import { formatCount } from '../lib/format.ts'
import { JOB_STATE_LABELS, JOB_STATES } from './jobs-queries.ts'

type JobCount = NonNullable<JobsSummaryQuery['jobCounts']>[number]

interface TaskCounts {
  readonly task: string
  readonly counts: ReadonlyMap<JobState, JobCount>
}

const COLUMNS: readonly Column<TaskCounts>[] = [
  {
    label: 'Task',
    cell: ({ task }) => (
      <Anchor component={Link} to={`?task=${task}`} inherit className="ph-mono">
        {task}
      </Anchor>
    ),
  },
  ...JOB_STATES.map(
    ({ value: state, label }): Column<TaskCounts> => ({
      label,
      end: true,
      width: '16%',
      cell: ({ task, counts }) => <Count task={task} state={state} count={counts.get(state)} />,
    }),
  ),
]

interface JobSummaryProps {
  readonly summary: readonly JobCount[] | null | undefined
  readonly error: CombinedError | undefined
  reload(): void
}

/** The number of jobs by task and state. Each number links to its jobs. */
export function JobSummary({ summary, error, reload }: JobSummaryProps) {
  // The list below says that there are no jobs, or why they cannot be read.
  if (summary?.length === 0 || (error && !summary)) return null
  const isExact = summary?.every(({ countIsExact }) => countIsExact) ?? true
  return (
    <Section
      title="By task"
      description={isExact ? undefined : 'Counts stop at 10,000 for each state.'}
    >
      <List
        label="Jobs by task and state"
        columns={COLUMNS}
        rows={summary ? byTask(summary) : undefined}
        keyOf={({ task }) => task}
        error={error}
        reload={reload}
        empty={null}
      />
    </Section>
  )
}

interface CountProps {
  readonly task: string
  readonly state: JobState
  readonly count: JobCount | undefined
}

function Count({ task, state, count }: CountProps) {
  if (!count) {
    return (
      <Text span inherit c="dimmed">
        0
      </Text>
    )
  }
  const text = `${formatCount(count.count)}${count.countIsExact ? '' : '+'}`
  return (
    <Anchor
      component={Link}
      to={`?task=${task}&state=${state}`}
      inherit
      c={state === 'FAILED' ? 'var(--posthorn-on-red)' : undefined}
      aria-label={`${text} ${JOB_STATE_LABELS[state].toLowerCase()}: show`}
    >
      {text}
    </Anchor>
  )
}

function byTask(summary: readonly JobCount[]): TaskCounts[] {
  const tasks = Map.groupBy(summary, ({ task }) => task)
  return [...tasks].map(([task, counts]) => ({
    task,
    counts: new Map(counts.map((count) => [count.state, count])),
  }))
}
