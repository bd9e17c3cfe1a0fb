import type { CSSProperties } from 'react'
import type { DeliveryState, WebhookState } from '../generated/graphql.ts'

const DELIVERY: Record<DeliveryState, readonly [label: string, color: string]> = {
  QUEUED: ['Queued', 'blue'],
  RETRYING: ['Retrying', 'orange'],
  WAITING: ['Waiting', 'violet'],
  SUCCEEDED: ['Succeeded', 'green'],
  EXHAUSTED: ['Exhausted', 'red'],
  CANCELED: ['Canceled', 'gray'],
}

const WEBHOOK: Record<WebhookState, readonly [label: string, color: string]> = {
  NO_DELIVERIES: ['No deliveries yet', 'gray'],
  HEALTHY: ['Healthy', 'green'],
  FAILING: ['Failing', 'orange'],
  ON_HOLD: ['On hold', 'red'],
  DISABLED: ['Disabled', 'gray'],
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
