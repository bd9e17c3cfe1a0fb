import { StateBadge } from '../components/state-badge.tsx'
import type { JobState } from '../generated/graphql.ts'
import { t } from '../strings/t.ts'

const COLORS: Record<JobState, string> = {
  DUE: 'blue',
  SCHEDULED: 'gray',
  RUNNING: 'green',
  FAILED: 'red',
}

export const jobStateLabel = (state: JobState) => t(`jobs:states.${state}`)

export function JobStateBadge({ state, removed }: { state: JobState; removed: boolean }) {
  if (removed) return <StateBadge label={t('jobs:states.gone')} color="gray" />
  return <StateBadge label={jobStateLabel(state)} color={COLORS[state]} />
}
