import { StateBadge } from '../components/state-badge.tsx'
import type { JobState } from '../generated/graphql.ts'

const COLORS: Record<JobState, string> = {
  DUE: 'blue',
  SCHEDULED: 'gray',
  RUNNING: 'green',
  FAILED: 'red',
}

const LABELS = {
  DUE: 'Due',
  SCHEDULED: 'Scheduled',
  RUNNING: 'Running',
  FAILED: 'Failed',
}

export const jobStateLabel = (state: JobState) => LABELS[state]

export function JobStateBadge({ state, removed }: { state: JobState; removed: boolean }) {
  if (removed) return <StateBadge label="No longer listed" color="gray" />
  return <StateBadge label={jobStateLabel(state)} color={COLORS[state]} />
}
