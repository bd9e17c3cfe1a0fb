import type { DeliveryQuery } from '../generated/graphql.ts'

type Delivery = NonNullable<DeliveryQuery['delivery']>

/** Why a pending delivery has not been sent yet, and when the next attempt is, if known. */
export interface WhyWaiting {
  readonly title: string
  readonly sentence: string
  readonly nextAt: string | null
  /** The label of `nextAt`, such as "Next attempt". */
  readonly nextLabel: string
}

/** Null for a finished delivery. */
export function whyWaiting(delivery: Delivery, nowMs: number): WhyWaiting | null {
  if (delivery.state !== 'PENDING') return null
  const { nextAttemptAt, parkedAt, attemptCount } = delivery
  if (parkedAt != null || nextAttemptAt == null) return parked(delivery)
  if (Date.parse(nextAttemptAt) > nowMs) {
    return {
      title:
        attemptCount === 0 ? 'The first attempt is scheduled' : 'The next attempt is scheduled',
      sentence:
        attemptCount === 0
          ? 'It is sent at the time below.'
          : 'The last attempt failed. It is tried again after the delay that the retry schedule has for it.',
      nextAt: nextAttemptAt,
      nextLabel: 'Next attempt',
    }
  }
  return {
    title: 'Queued',
    sentence: 'An attempt is under way, or begins as soon as a worker is free.',
    nextAt: null,
    nextLabel: 'Next attempt',
  }
}

function parked({ webhook, parkedReason }: Delivery): WhyWaiting {
  const reason = (title: string, sentence: string, nextAt: string | null = null) => ({
    title,
    sentence,
    nextAt,
    nextLabel: 'The next probe',
  })
  if (!webhook) return reason('Waiting', 'It is parked in the backlog of its webhook.')
  switch (parkedReason) {
    case 'DISABLED':
      return reason(
        'Its webhook is disabled',
        'It waits, uses up no attempts, and is sent once the webhook is enabled.',
      )
    case 'ON_HOLD':
      return reason(
        'Its webhook is on hold',
        `${lastErrorOf(webhook)}The endpoint keeps failing, so deliveries wait and use up no attempts. One at a time tests the endpoint; the first success releases the others.`,
        webhook.health?.nextProbeAt ?? null,
      )
    case 'ORDERED':
      return reason(
        'It waits for those before it',
        'This webhook takes deliveries in the order of their events: those before this one must succeed or be exhausted first.',
      )
    case 'RATE_LIMIT':
      return reason(
        'Its webhook is at its rate limit',
        `At most ${webhook.rateLimitPerSecond ?? 'so many'} attempts a second are made.`,
      )
    default:
      return reason('Its webhook is at its concurrency limit', concurrencyOf(webhook))
  }
}

type DeliveryWebhook = NonNullable<Delivery['webhook']>

function lastErrorOf({ health }: DeliveryWebhook): string {
  return health?.lastError ? `${health.lastError}. ` : ''
}

function concurrencyOf({ maxInFlight, health }: DeliveryWebhook): string {
  if (maxInFlight != null) return `Each worker makes at most ${maxInFlight} requests in parallel.`
  const now = health?.concurrencyLimit != null ? `, ${health.concurrencyLimit} at the moment` : ''
  return `Each worker makes as many requests in parallel as the endpoint keeps up with${now}.`
}
