import { StateBadge } from '../../components/state-badge.tsx'
import type { RecoveryState } from '../../generated/graphql.ts'
import { t } from '../../strings/t.ts'

const STATES: Record<RecoveryState, readonly [label: string, color: string]> = {
  RUNNING: [t('webhooks:recoveryStates.RUNNING'), 'blue'],
  COMPLETED: [t('webhooks:recoveryStates.COMPLETED'), 'blue'],
  CANCELED: [t('webhooks:recoveryStates.CANCELED'), 'gray'],
  FAILED: [t('webhooks:recoveryStates.FAILED'), 'red'],
}

export function RecoveryStateBadge({ state }: { state: RecoveryState }) {
  const [label, color] = STATES[state]
  return <StateBadge label={label} color={color} />
}
