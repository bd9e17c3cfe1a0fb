import { StateBadge } from '../../components/state-badge.tsx'
import type { RecoveryState } from '../../generated/graphql.ts'

const STATES: Record<RecoveryState, readonly [label: string, color: string]> = {
  RUNNING: ['Running', 'blue'],
  COMPLETED: ['Completed', 'green'],
  CANCELED: ['Canceled', 'gray'],
  FAILED: ['Failed', 'red'],
}

export function RecoveryStateBadge({ state }: { state: RecoveryState }) {
  const [label, color] = STATES[state]
  return <StateBadge label={label} color={color} />
}
