import { formatCount } from '../format.ts'
import type { DeliveryQuery } from '../generated/graphql.ts'
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
  if (Date.parse(nextAttemptAt) > nowMs) {
    return {
      title:
        attemptCount === 0 ? 'The first attempt is scheduled' : 'The next attempt is scheduled',
      sentence:
        attemptCount === 0
          ? 'The delivery is sent at the time below.'
          : 'The last attempt failed. The retry schedule sets the time of the next one.',
      nextAt: nextAttemptAt,
      nextLabel: 'Next attempt',
    }
  }
  return {
    title: 'Queued',
    sentence: 'An attempt is running, or starts as soon as a worker is free.',
    nextAt: null,
    nextLabel: 'Next attempt',
  }
}

function parked({ webhook, parkedReason }: Delivery): WhyWaiting {
  const reason = (title: string, sentence: string, nextAt: string | null = null) => ({
    title,
    sentence,
    nextAt,
    nextLabel: 'Next probe',
  })
  if (!webhook) return reason('Waiting', 'The delivery is parked in the backlog of its webhook.')
  switch (parkedReason) {
    case 'DISABLED':
      return reason(
        'The webhook is disabled',
        'The delivery is sent once the webhook is enabled. Waiting uses no attempts.',
      )
    case 'ON_HOLD':
      return reason(
        'The webhook is on hold',
        `${lastErrorOf(webhook)}The endpoint keeps failing, so deliveries wait. Probes test it every few minutes; the first success releases the backlog. Waiting uses no attempts.`,
        webhook.health?.nextProbeAt ?? null,
      )
    case 'ORDERED':
      return reason(
        'An earlier delivery comes first',
        'This webhook receives deliveries in the order of their events. Earlier deliveries must succeed or be exhausted first.',
      )
    case 'RATE_LIMIT':
      return reason(
        'The webhook is at its rate limit',
        webhook.rateLimitPerSecond == null
          ? 'The rate limit was removed. The backlog is being released.'
          : `The limit is ${countOf(webhook.rateLimitPerSecond, 'attempt')} a second.`,
      )
    default:
      return reason('The webhook is at its concurrency limit', concurrencyOf(webhook))
  }
}

type DeliveryWebhook = NonNullable<Delivery['webhook']>

function lastErrorOf({ health }: DeliveryWebhook): string {
  return health?.lastError ? `${health.lastError}. ` : ''
}

function concurrencyOf({ maxInFlight, health }: DeliveryWebhook): string {
  if (maxInFlight != null)
    return `The limit is ${countOf(maxInFlight, 'parallel request')} per worker.`
  const now = health?.concurrencyLimit != null ? ` Now: ${health.concurrencyLimit}.` : ''
  return `The limit of parallel requests per worker adapts to the endpoint.${now}`
}

function countOf(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`
}
