import { StateBadge } from '../components/state-badge.tsx'
import type { JobState } from '../generated/graphql.ts'
import { t } from '../strings/t.ts'

export const JOB_STATES: readonly JobState[] = ['DUE', 'SCHEDULED', 'RUNNING', 'FAILED']

const COLORS: Record<JobState, string> = {
  DUE: 'blue',
  SCHEDULED: 'gray',
  RUNNING: 'green',
  FAILED: 'red',
}

export const jobStateLabel = (state: JobState) => t(`jobs:states.${state}`)

/** Parses a query parameter; null for an unknown state. */
export function parseJobState(text: string | null): JobState | null {
  return JOB_STATES.find((state) => state === text) ?? null
}

export function JobStateBadge({ state, removed }: { state: JobState; removed: boolean }) {
  if (removed) return <StateBadge label={t('jobs:states.gone')} color="gray" />
  return <StateBadge label={jobStateLabel(state)} color={COLORS[state]} />
}
