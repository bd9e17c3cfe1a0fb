import type { Registry } from 'prom-client'
import { publicId } from '../db/ids.ts'
import type { AttemptMetrics } from './attempt-metrics.ts'
import { addCounter } from './counters.ts'
import type { Logger } from './logger.ts'

/** The outcome of an attempt for the log. Never a body, a header value or a secret. */
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

export interface DeliveryReporter {
  /** An attempt starts this long after its time. */
  started(delayMs: number): void
  attempted(
    deliveryUuid: string,
    webhookUuid: string,
    attempt: AttemptFacts,
    after: DeliveryFacts,
  ): void
}

export function createDeliveryReporter(logger: Logger, metrics: AttemptMetrics): DeliveryReporter {
  return {
    started: metrics.started,
    attempted(deliveryUuid, webhookUuid, attempt, after) {
      metrics.recorded(attempt, after.state)
      if (attempt.succeeded && !logger.isLevelEnabled('debug')) return
      const facts = {
        event: 'delivery.attempted',
        deliveryId: publicId('delivery', deliveryUuid),
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
      else if (!attempt.succeeded) logger.info(facts, 'attempt failed')
      else logger.debug(facts, 'attempt succeeded')
    },
  }
}

const UNREADABLE =
  'cannot decrypt the signing secret or the custom headers of a webhook: add the key that encrypted them to POSTHORN_ENCRYPTION_KEYS'

/** Why Posthorn canceled deliveries, besides the failed jobs that a sweep finds. */
type CancelReason = keyof typeof CANCEL_MESSAGES

const CANCEL_MESSAGES = {
  event_deleted:
    'canceled deliveries whose event was erased, or deleted because it was older than POSTHORN_RETENTION',
  bulk_task: 'canceled deliveries for a task of cancelDeliveries or erase, or of a deleted webhook',
} as const

export type ReportCanceled = (canceled: {
  readonly count: number
  readonly reason: CancelReason
  /** The public ids of what was canceled, or of its cause. */
  readonly ids: {
    readonly deliveryIds?: readonly string[]
    readonly taskId?: string
  }
}) => void

/** One line for each act of Posthorn, however many deliveries it canceled. */
export function createCancelReporter(logger: Logger): ReportCanceled {
  return ({ count, reason, ids }) => {
    if (count === 0) return
    const shown = ids.deliveryIds && { deliveryIds: ids.deliveryIds.slice(0, MAX_LOGGED_IDS) }
    logger.info(
      { event: 'deliveries.canceled', count, reason, ...ids, ...shown },
      CANCEL_MESSAGES[reason],
    )
  }
}

const MAX_LOGGED_IDS = 10

/** The public ids of deliveries that were corrected because an operator changed their jobs. */
type Swept = Partial<Record<keyof typeof TEXTS, readonly string[]>>

export type ReportSweep = (swept: Swept) => void

/** Reports at `info`, because an operator may cause all of it on purpose. */
export function createSweepReporter(logger: Logger, registry: Registry): ReportSweep {
  const count = addCounter(registry, 'swept_deliveries')
  return (swept) => {
    for (const [kind, text] of Object.entries(TEXTS) as [keyof typeof TEXTS, string][]) {
      const { [kind]: ids = [] } = swept
      count(ids.length, kind)
      if (ids.length === 0) continue
      const deliveryIds = ids.slice(0, MAX_LOGGED_IDS)
      const reason = kind === 'canceled' ? { reason: 'job_failed' } : {}
      logger.info({ event: `jobs.${kind}`, count: ids.length, ...reason, deliveryIds }, text)
    }
  }
}

const TEXTS = {
  restored:
    'restored the missing jobs of deliveries, such as completed or deleted ones. To cancel a delivery, permanently fail its job or use cancelDeliveries',
  canceled: 'canceled deliveries because an operator permanently failed their jobs',
  reopened:
    'started the retry schedules of exhausted deliveries again because an operator rescheduled their jobs',
} as const
