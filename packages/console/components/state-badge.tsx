import type { CSSProperties } from 'react'
import { DELIVERY } from '../deliveries/delivery-states.ts'
import type { DeliveryState, WebhookState } from '../generated/graphql.ts'
import { t } from '../language/t.ts'

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
  const [label, color] = DELIVERY[state]
  return <StateBadge label={label} color={color} />
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
