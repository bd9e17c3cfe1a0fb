import { Badge } from '@mantine/core'
import type { DeliveryState, WebhookState } from '../generated/graphql.ts'

const DELIVERY: Record<DeliveryState, readonly [label: string, color: string]> = {
  QUEUED: ['Queued', 'blue'],
  RETRYING: ['Retrying', 'orange'],
  WAITING: ['Waiting', 'yellow'],
  SUCCEEDED: ['Succeeded', 'green'],
  EXHAUSTED: ['Exhausted', 'red'],
  CANCELED: ['Canceled', 'gray'],
}

const WEBHOOK: Record<WebhookState, readonly [label: string, color: string]> = {
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
  /** A Mantine color. It only repeats what the label says. */
  readonly color: string
}

export function StateBadge({ label, color }: StateBadgeProps) {
  return (
    <Badge
      variant="light"
      color={color}
      tt="none"
      fw={600}
      size="md"
      radius="sm"
      style={{ flex: 'none', minWidth: 'max-content', color: `var(--posthorn-on-${color})` }}
    >
      {label}
    </Badge>
  )
}

function optionsOf<State extends string>(
  states: Record<State, readonly [label: string, color: string]>,
) {
  return (Object.keys(states) as State[]).map((value) => ({ value, label: states[value][0] }))
}
