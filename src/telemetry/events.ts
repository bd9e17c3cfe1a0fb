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

/** Tells of what should never be: pending deliveries without a job, and jobs without a pending delivery. */
export function createOrphanReporter(logger: Logger, metrics: OrphanMetrics): ReportOrphans {
  return ({ deliveries, jobs }) => {
    if (deliveries.length === 0 && jobs.length === 0) return
    metrics.found('delivery', deliveries.length)
    metrics.found('job', jobs.length)
    logger.error(
      {
        event: 'orphans.found',
        deliveries: deliveries.length,
        deliveryIds: deliveries.slice(0, SHOWN_IDS),
        jobs: jobs.length,
        jobIds: jobs.slice(0, SHOWN_IDS),
      },
      'found deliveries without a job, or jobs without a delivery, and mended them; unless somebody failed or removed jobs by hand, please report it',
    )
  }
}

export type ReportOrphans = (orphans: {
  readonly deliveries: readonly string[]
  readonly jobs: readonly string[]
}) => void

export interface OrphanMetrics {
  found(kind: 'delivery' | 'job', count: number): void
}
