import { StateBadge } from '../../components/state-badge.tsx'
import type { RecoveryRowFragment, RecoveryState } from '../../generated/graphql.ts'
import { t } from '../../strings/t.ts'

const STATES: Record<RecoveryState, readonly [label: string, color: string]> = {
  RUNNING: [t('webhooks:recoveryStates.RUNNING'), 'blue'],
  DELIVERING: [t('webhooks:recoveryStates.DELIVERING'), 'blue'],
  COMPLETED: [t('webhooks:recoveryStates.COMPLETED'), 'green'],
  CANCELED: [t('webhooks:recoveryStates.CANCELED'), 'gray'],
  FAILED: [t('webhooks:recoveryStates.FAILED'), 'red'],
}

interface RecoveryStateBadgeProps {
  readonly recovery: Pick<RecoveryRowFragment, 'state' | 'exhausted'>
}

/** A recovery that completed has not succeeded for that. */
export function RecoveryStateBadge({ recovery: { state, exhausted } }: RecoveryStateBadgeProps) {
  if (state === 'COMPLETED' && exhausted > 0) {
    return <StateBadge label={t('webhooks:recoveryStates.withFailures')} color="orange" />
  }
  const [label, color] = STATES[state]
  return <StateBadge label={label} color={color} />
}
