import { publicId } from '../db/ids.ts'
import type { Logger } from './logger.ts'

/** What the log says of an attempt. Never a body, a header's value or a secret. */
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

/** One helper for each business event, so that it is reported in one way everywhere. */
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
      if (attempt.succeeded && !logger.isLevelEnabled('debug')) return
      const facts = {
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
      }
      if (attempt.errorCode === 'secret_unreadable') logger.error(facts, UNREADABLE)
      else if (!attempt.succeeded) logger.info(facts, 'an attempt failed')
      else logger.debug(facts, 'an attempt succeeded')
    },
  }
}

const UNREADABLE =
  'cannot decrypt the signing secret or the custom headers of a webhook: add the key to POSTHORN_ENCRYPTION_KEYS that they were encrypted with'

export interface AttemptMetrics {
  observe(succeeded: boolean, durationMs: number): void
}

/** How many of the ids are in the log. */
const SHOWN_IDS = 10

/** Reports what a sweep put right. An operator may do both on purpose, so neither is an error. */
export function createSweepReporter(logger: Logger, metrics: SweepMetrics): ReportSweep {
  return ({ restored, canceled }) => {
    metrics.swept('restored', restored.length)
    metrics.swept('canceled', canceled.length)
    if (restored.length > 0) {
      logger.info(
        {
          event: 'jobs.restored',
          count: restored.length,
          deliveryIds: restored.slice(0, SHOWN_IDS),
        },
        'deliveries had no job, as when somebody completes or deletes one: they have one again. To cancel a delivery, fail its job for good, or use cancelDelivery',
      )
    }
    if (canceled.length > 0) {
      logger.info(
        {
          event: 'jobs.canceled',
          count: canceled.length,
          deliveryIds: canceled.slice(0, SHOWN_IDS),
        },
        'an operator failed the jobs of deliveries for good: the deliveries are canceled',
      )
    }
  }
}

export type ReportSweep = (swept: {
  readonly restored: readonly string[]
  readonly canceled: readonly string[]
}) => void

export interface SweepMetrics {
  swept(kind: 'restored' | 'canceled', count: number): void
}
