import type { CSSProperties } from 'react'
import { DELIVERY_STATE_LABELS } from '../deliveries/delivery-states.ts'
import type { DeliveryState, WebhookState } from '../generated/graphql.ts'
import { t } from '../language/t.ts'

const DELIVERY: Record<DeliveryState, string> = {
  QUEUED: 'blue',
  RETRYING: 'orange',
  WAITING: 'violet',
  SUCCEEDED: 'green',
  EXHAUSTED: 'red',
  CANCELED: 'gray',
}

const WEBHOOK: Record<WebhookState, readonly [label: string, color: string]> = {
  NO_DELIVERIES: [t('No deliveries yet'), 'gray'],
  HEALTHY: [t('Healthy'), 'green'],
  DEGRADED: [t('Degraded'), 'yellow'],
  BEHIND: [t('Behind'), 'violet'],
  FAILING: [t('Failing'), 'orange'],
  ON_HOLD: [t('On hold'), 'red'],
  DISABLED: [t('Disabled'), 'gray'],
}

/** Options for a select. */
export const WEBHOOK_STATES = Object.entries(WEBHOOK).map(([value, [label]]) => ({ value, label }))

export function DeliveryStateBadge({ state }: { state: DeliveryState }) {
  return <StateBadge label={t(DELIVERY_STATE_LABELS[state])} color={DELIVERY[state]} />
}

export function WebhookStateBadge({ state }: { state: WebhookState }) {
  const [label, color] = WEBHOOK[state]
  return <StateBadge label={label} color={color} />
}

interface StateBadgeProps {
  readonly label: string
  /** A color of the theme. It only repeats what the label says. */
  readonly color: string
}

/** A state: a dot in its color, and its word. */
export function StateBadge({ label, color }: StateBadgeProps) {
  return (
    <span
      className="ph-state"
      style={{ '--posthorn-state': `var(--posthorn-mark-${color})` } as CSSProperties}
    >
      {label}
    </span>
  )
}
