import { StateBadge } from '../../components/state-badge.tsx'
import type { RecoveryRowFragment, RecoveryState } from '../../generated/graphql.ts'

const STATES: Record<RecoveryState, readonly [label: string, color: string]> = {
  RUNNING: ['Queuing', 'blue'],
  DELIVERING: ['Delivering', 'blue'],
  COMPLETED: ['Completed', 'green'],
  CANCELED: ['Canceled', 'gray'],
  FAILED: ['Failed', 'red'],
}

interface RecoveryStateBadgeProps {
  readonly recovery: Pick<RecoveryRowFragment, 'state' | 'exhausted'>
}

/** A recovery that completed has not succeeded for that. */
export function RecoveryStateBadge({ recovery: { state, exhausted } }: RecoveryStateBadgeProps) {
  if (state === 'COMPLETED' && exhausted > 0) {
    return <StateBadge label="Completed with failures" color="orange" />
  }
  const [label, color] = STATES[state]
  return <StateBadge label={label} color={color} />
}
