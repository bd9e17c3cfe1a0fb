import type { CSSProperties } from 'react'
import type { DeliveryState, WebhookState } from '../generated/graphql.ts'
import { t } from '../strings/t.ts'

const DELIVERY: Record<DeliveryState, readonly [label: string, color: string]> = {
  QUEUED: [t('deliveries:states.QUEUED'), 'blue'],
  RETRYING: [t('deliveries:states.RETRYING'), 'orange'],
  WAITING: [t('deliveries:states.WAITING'), 'violet'],
  SUCCEEDED: [t('deliveries:states.SUCCEEDED'), 'green'],
  EXHAUSTED: [t('deliveries:states.EXHAUSTED'), 'red'],
  CANCELED: [t('deliveries:states.CANCELED'), 'gray'],
}

const WEBHOOK: Record<WebhookState, readonly [label: string, color: string]> = {
  NO_DELIVERIES: [t('webhooks:states.NO_DELIVERIES'), 'gray'],
  HEALTHY: [t('webhooks:states.HEALTHY'), 'green'],
  FAILING: [t('webhooks:states.FAILING'), 'orange'],
  ON_HOLD: [t('webhooks:states.ON_HOLD'), 'red'],
  DISABLED: [t('webhooks:states.DISABLED'), 'gray'],
}

/** Options for a select. */
export const DELIVERY_STATES = optionsOf(DELIVERY)
export const WEBHOOK_STATES = optionsOf(WEBHOOK)

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

function optionsOf<State extends string>(
  states: Record<State, readonly [label: string, color: string]>,
) {
  return (Object.keys(states) as State[]).map((value) => ({ value, label: states[value][0] }))
}
