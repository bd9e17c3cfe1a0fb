import type { DeliveryQuery } from '../../generated/graphql.ts'
import { t } from '../../language/t.ts'
import { counted } from '../../lib/format.ts'
import { isFinished } from '../delivery-states.ts'

type Delivery = NonNullable<DeliveryQuery['delivery']>

/** Why an unfinished delivery has not been sent yet, and when the next attempt is, if known. */
interface WhyWaiting {
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
  const nextLabel = t('Next attempt')
  if (Date.parse(nextAttemptAt) > nowMs) {
    const scheduled =
      attemptCount === 0
        ? {
            title: 'The first attempt is scheduled',
            sentence: 'The delivery is sent at the time below.',
          }
        : {
            title: 'The next attempt is scheduled',
            sentence:
              'The last attempt failed. The retry schedule sets the time of the next attempt.',
          }
    return { ...scheduled, nextAt: nextAttemptAt, nextLabel }
  }
  return {
    title: t('Queued'),
    sentence: t('An attempt is running, or starts as soon as a worker is free.'),
    nextAt: null,
    nextLabel,
  }
}

function parked({ webhook, parkedReason }: Delivery): WhyWaiting {
  const reason = (title: string, sentence: string, nextAt: string | null = null) => ({
    title,
    sentence,
    nextAt,
    nextLabel: 'Next probe',
  })
  if (!webhook) {
    return reason(t('Waiting'), 'The delivery is in the backlog of its webhook.')
  }
  // A delivery that was parked before the hold has another reason, and waits for the hold too.
  const isOnHold = webhook.health?.state === 'ON_HOLD'
  switch (isOnHold ? 'ON_HOLD' : parkedReason) {
    case 'DISABLED':
      return reason(
        t('The webhook is disabled'),
        t('The delivery is sent once the webhook is enabled. Waiting uses no attempts.'),
      )
    case 'ON_HOLD':
      return reason(
        t('The webhook is on hold'),
        onHoldTextOf(webhook),
        webhook.health?.nextProbeAt ?? null,
      )
    case 'ORDERED':
      return reason(
        t('An earlier delivery comes first'),
        'This webhook receives deliveries in the order of their events. Earlier deliveries must succeed or be exhausted first.',
      )
    case 'RATE_LIMIT':
      return reason(t('The webhook is at its rate limit'), rateOf(webhook))
    default:
      return reason(t('The webhook is at its concurrency limit'), concurrencyOf(webhook))
  }
}

type DeliveryWebhook = NonNullable<Delivery['webhook']>

function onHoldTextOf(webhook: DeliveryWebhook): string {
  const lastError = lastErrorOf(webhook)
  return webhook.health?.onHoldReason === 'RETRY_AFTER'
    ? `${lastError}${'The endpoint asked to wait: it answered 429 or 503 with Retry-After. After that time, the backlog is released. Waiting uses no attempts.'}`
    : `${lastError}${'The endpoint keeps failing, so deliveries wait. Probes test the endpoint every few minutes; the first success releases the backlog. Waiting uses no attempts.'}`
}

function lastErrorOf({ health }: DeliveryWebhook): string {
  return health?.lastError ? `${health.lastError}. ` : ''
}

function rateOf({ rateLimitPerSecond: count }: DeliveryWebhook): string {
  if (count == null) return 'The rate limit was removed. The backlog is being released.'
  return `The limit is ${counted(count, 'attempt', 'attempts')} per second.`
}

function concurrencyOf({ maxInFlight: count, health }: DeliveryWebhook): string {
  if (count != null) {
    return `The limit is ${counted(count, 'parallel request', 'parallel requests')} per worker.`
  }
  const limit = health?.concurrencyLimit
  if (limit == null) return 'The limit of parallel requests per worker adapts to the endpoint.'
  return `The limit of parallel requests per worker adapts to the endpoint. Now: ${limit}.`
}
