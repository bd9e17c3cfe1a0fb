import { StateBadge } from '../../components/state-badge.tsx'
import type { JobState } from '../../generated/graphql.ts'
import { JOB_STATE_LABELS } from '../jobs-queries.ts'

const COLORS: Record<JobState, string> = {
  DUE: 'blue',
  SCHEDULED: 'gray',
  RUNNING: 'green',
  FAILED: 'red',
}

export function JobStateBadge({ state }: { state: JobState }) {
  return <StateBadge label={JOB_STATE_LABELS[state]} color={COLORS[state]} />
}
