import { formatCount } from '../format.ts'
import type { DeliveryQuery } from '../generated/graphql.ts'
import { t } from '../strings/t.ts'
import { isFinished } from './is-finished.ts'

type Delivery = NonNullable<DeliveryQuery['delivery']>

/** Why an unfinished delivery has not been sent yet, and when the next attempt is, if known. */
export interface WhyWaiting {
  readonly title: string
  readonly sentence: string
  readonly nextAt: string | null
  /** The label of `nextAt`, such as "Next attempt". */
  readonly nextLabel: string
}

/** Null for a finished delivery. */
export function whyWaiting(delivery: Delivery, nowMs: number): WhyWaiting | null {
  if (isFinished(delivery.state)) return null
  const { nextAttemptAt, parkedAt, attemptCount } = delivery
  if (parkedAt != null || nextAttemptAt == null) return parked(delivery)
  const nextLabel = t('deliveries:whyWaiting.nextAttempt')
  if (Date.parse(nextAttemptAt) > nowMs) {
    const key = attemptCount === 0 ? 'first' : 'retry'
    return {
      title: t(`deliveries:whyWaiting.${key}Title`),
      sentence: t(`deliveries:whyWaiting.${key}Text`),
      nextAt: nextAttemptAt,
      nextLabel,
    }
  }
  return {
    title: t('deliveries:whyWaiting.queuedTitle'),
    sentence: t('deliveries:whyWaiting.queuedText'),
    nextAt: null,
    nextLabel,
  }
}

function parked({ webhook, parkedReason }: Delivery): WhyWaiting {
  const reason = (title: string, sentence: string, nextAt: string | null = null) => ({
    title,
    sentence,
    nextAt,
    nextLabel: t('deliveries:whyWaiting.nextProbe'),
  })
  if (!webhook) {
    return reason(t('deliveries:whyWaiting.parkedTitle'), t('deliveries:whyWaiting.parkedText'))
  }
  // A delivery that was parked before the hold has another reason, and waits for the hold too.
  const isOnHold = webhook.health?.state === 'ON_HOLD'
  switch (isOnHold ? 'ON_HOLD' : parkedReason) {
    case 'DISABLED':
      return reason(
        t('deliveries:whyWaiting.disabledTitle'),
        t('deliveries:whyWaiting.disabledText'),
      )
    case 'ON_HOLD':
      return reason(
        t('deliveries:whyWaiting.onHoldTitle'),
        onHoldTextOf(webhook),
        webhook.health?.nextProbeAt ?? null,
      )
    case 'ORDERED':
      return reason(t('deliveries:whyWaiting.orderedTitle'), t('deliveries:whyWaiting.orderedText'))
    case 'RATE_LIMIT':
      return reason(t('deliveries:whyWaiting.rateTitle'), rateOf(webhook))
    default:
      return reason(t('deliveries:whyWaiting.concurrencyTitle'), concurrencyOf(webhook))
  }
}

type DeliveryWebhook = NonNullable<Delivery['webhook']>

function onHoldTextOf(webhook: DeliveryWebhook): string {
  const lastError = lastErrorOf(webhook)
  return webhook.health?.onHoldReason === 'RETRY_AFTER'
    ? t('deliveries:whyWaiting.askedToWaitText', { lastError })
    : t('deliveries:whyWaiting.onHoldText', { lastError })
}

function lastErrorOf({ health }: DeliveryWebhook): string {
  return health?.lastError ? `${health.lastError}. ` : ''
}

function rateOf({ rateLimitPerSecond: count }: DeliveryWebhook): string {
  if (count == null) return t('deliveries:whyWaiting.rateRemoved')
  return t('deliveries:whyWaiting.rateText', { count, shown: formatCount(count) })
}

function concurrencyOf({ maxInFlight: count, health }: DeliveryWebhook): string {
  if (count != null) {
    return t('deliveries:whyWaiting.concurrencyText', { count, shown: formatCount(count) })
  }
  const limit = health?.concurrencyLimit
  if (limit == null) return t('deliveries:whyWaiting.concurrencyAdapts')
  return t('deliveries:whyWaiting.concurrencyNow', { limit })
}
