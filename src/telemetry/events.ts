import { publicId } from '../ids.ts'
import type { Logger } from './logger.ts'

/** What is worth saying of an attempt. Never a body, a header's value or a secret. */
interface AttemptFacts {
  readonly succeeded: boolean
  readonly durationMs: number
  readonly status: number | null
  readonly errorCode: string | null
}

interface DeliveryFacts {
  readonly number: number
  readonly state: string
  readonly nextAttemptAt: Date | null
}

/** One helper for each business event, so that it is told in one way everywhere. */
export interface DeliveryReporter {
  attempted(
    deliveryId: string,
    webhookUuid: string,
    attempt: AttemptFacts,
    after: DeliveryFacts,
  ): void
}

export function createDeliveryReporter(logger: Logger, metrics: AttemptMetrics): DeliveryReporter {
  return {
    attempted(deliveryId, webhookUuid, attempt, after) {
      metrics.observe(attempt.succeeded, attempt.durationMs)
      const facts = () => ({
        event: 'delivery.attempted',
        deliveryId,
        webhookId: publicId('webhook', webhookUuid),
        attempt: after.number,
        succeeded: attempt.succeeded,
        status: attempt.status,
        errorCode: attempt.errorCode,
        durationMs: Math.round(attempt.durationMs),
        state: after.state,
        nextAttemptAt: after.nextAttemptAt,
      })
      if (!attempt.succeeded) logger.info(facts(), 'an attempt failed')
      else if (logger.isLevelEnabled('debug')) logger.debug(facts(), 'an attempt succeeded')
    },
  }
}

export interface AttemptMetrics {
  observe(succeeded: boolean, durationMs: number): void
}
