import { StateBadge } from '../components/state-badge.tsx'
import type { JobState } from '../generated/graphql.ts'

export const JOB_STATES: readonly JobState[] = ['DUE', 'SCHEDULED', 'RUNNING', 'FAILED']

const LOOKS: Record<JobState, readonly [label: string, color: string]> = {
  DUE: ['Due', 'blue'],
  SCHEDULED: ['Scheduled', 'gray'],
  RUNNING: ['Running', 'green'],
  FAILED: ['Failed', 'red'],
}

export const jobStateLabel = (state: JobState) => LOOKS[state][0]

/** What the address says, if it is a state. */
export function parseJobState(text: string | null): JobState | null {
  return JOB_STATES.find((state) => state === text) ?? null
}

export function JobStateBadge({ state, left }: { state: JobState; left: boolean }) {
  if (left) return <StateBadge label="Left the list" color="gray" />
  const [label, color] = LOOKS[state]
  return <StateBadge label={label} color={color} />
}
