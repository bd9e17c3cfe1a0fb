import type { DeliveryQuery } from '../generated/graphql.ts'

type Delivery = NonNullable<DeliveryQuery['delivery']>

/** Why a pending delivery has not been sent yet, and when the next attempt is, if that is known. */
export interface WhyWaiting {
  readonly title: string
  readonly sentence: string
  readonly nextAt: string | null
  /** Of the next time: "Next attempt". */
  readonly nextLabel: string
}

/** Null for one that is finished. */
export function whyWaiting(delivery: Delivery, nowMs: number): WhyWaiting | null {
  if (delivery.state !== 'PENDING') return null
  const { nextAttemptAt, parkedAt, attemptCount } = delivery
  if (parkedAt != null) return inLine(delivery)
  if (nextAttemptAt == null) return inLine(delivery)
  if (Date.parse(nextAttemptAt) > nowMs) {
    return {
      title: attemptCount === 0 ? 'The first attempt is planned' : 'The next try is planned',
      sentence:
        attemptCount === 0
          ? 'It is sent at the time below.'
          : 'The last attempt failed. It is tried again after the delay that the retry schedule has for it.',
      nextAt: nextAttemptAt,
      nextLabel: 'Next attempt',
    }
  }
  return {
    title: 'Due now',
    sentence: 'An attempt is under way, or begins as soon as a worker is free.',
    nextAt: null,
    nextLabel: 'Next attempt',
  }
}

function inLine({ webhook }: Delivery): WhyWaiting {
  const said = (title: string, sentence: string, nextAt: string | null = null) => ({
    title,
    sentence,
    nextAt,
    nextLabel: 'The next of them is sent',
  })
  if (!webhook) {
    return said('It waits in line', 'Its webhook takes no more at the moment, or was deleted.')
  }
  if (!webhook.enabled) {
    return said(
      'Its webhook is disabled',
      'It waits, uses up no attempts, and is sent once the webhook is enabled.',
    )
  }
  if (webhook.health?.onHoldSince) {
    return said(
      'Its webhook is held',
      'The webhook keeps failing, so what it is owed is held back and uses up no attempts. One delivery at a time is sent to find out whether it works again; the first success releases the others.',
      webhook.health.nextProbeAt ?? null,
    )
  }
  if (webhook.ordered) {
    return said(
      'It waits for those before it',
      'This webhook takes deliveries in the order of their events: those before this one must succeed or be exhausted first.',
    )
  }
  if (webhook.rateLimitPerSecond != null) {
    return said(
      'It waits for its turn',
      `More is owed to its webhook than it takes: at most ${webhook.rateLimitPerSecond} attempts a second, and ${webhook.maxInFlight ?? 20} at once.`,
    )
  }
  return said(
    'It waits for its turn',
    `More is owed to its webhook than it takes: at most ${webhook.maxInFlight ?? 20} attempts are under way at once.`,
  )
}
