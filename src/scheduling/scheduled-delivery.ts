import type { HoldReason } from '../webhooks/end-hold.ts'
import type { SendOptions } from '../webhooks/send-options.ts'
import type { ParkedReason } from './backlog.ts'

/** A delivery whose job runs, and its place in its webhook's schedule. */
export interface ScheduledDelivery {
  readonly id: string
  readonly webhookId: string
  readonly organizationId: string
  readonly webhook: 'enabled' | 'disabled' | 'deleted'
  readonly isTest: boolean
  /** The revision of the webhook. */
  readonly revision: string
  /** Null if the webhook is not on hold. */
  readonly holdReason: HoldReason | null
  /** Whether this delivery tests the webhook while the webhook is on hold. */
  readonly isProbe: boolean
  /** Whether this delivery is the head of the backlog of an ordered webhook. */
  readonly isHead: boolean
  /** Milliseconds from now until the delivery's rate-limit reservation. */
  readonly reservedInMs: number | null
}

/**
 * Null if the delivery may be sent now. Test deliveries and probes test the endpoint, so they are sent regardless of a hold
 * or of the order.
 */
export function reasonToPark(
  delivery: ScheduledDelivery,
  options: SendOptions,
): ParkedReason | null {
  if (delivery.webhook !== 'enabled') return 'disabled'
  if (delivery.isTest || delivery.isProbe) return null
  if (delivery.holdReason !== null) return 'on_hold'
  return options.ordered && !delivery.isHead ? 'ordered' : null
}
