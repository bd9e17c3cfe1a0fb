import { StateBadge } from '../components/state-badge.tsx'
import type { JobState } from '../generated/graphql.ts'

export const JOB_STATES: readonly JobState[] = ['DUE', 'SCHEDULED', 'RUNNING', 'FAILED']

const BADGES: Record<JobState, readonly [label: string, color: string]> = {
  DUE: ['Due', 'blue'],
  SCHEDULED: ['Scheduled', 'gray'],
  RUNNING: ['Running', 'green'],
  FAILED: ['Failed', 'red'],
}

export const jobStateLabel = (state: JobState) => BADGES[state][0]

/** Parses a query parameter; null for an unknown state. */
export function parseJobState(text: string | null): JobState | null {
  return JOB_STATES.find((state) => state === text) ?? null
}

export function JobStateBadge({ state, removed }: { state: JobState; removed: boolean }) {
  if (removed) return <StateBadge label="No longer listed" color="gray" />
  const [label, color] = BADGES[state]
  return <StateBadge label={label} color={color} />
}
