import { Counter, Histogram } from 'prom-client'
import { publicId } from '../db/ids.ts'
import type { Logger } from './logger.ts'
import type { Metrics } from './metrics.ts'

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

/** Logs and counts attempts, and what became of their deliveries. */
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

const OUTCOMES = ['succeeded', 'failed'] as const
const STATUS_CODES = ['http_3xx', 'http_4xx', 'http_5xx']

/** `errorCodes`: those of attempts without a response. */
export function createDeliveryReporter(
  logger: Logger,
  { registry, count }: Metrics,
  errorCodes: readonly string[],
): DeliveryReporter {
  const registers = [registry]
  const attempts = new Counter({
    name: 'posthorn_attempts_total',
    help: 'Recorded attempts. error_code is empty for a success, http_4xx or the like for a response that is none, or the error code of an attempt without a response.',
    labelNames: ['outcome', 'error_code'],
    registers,
  })
  attempts.inc({ outcome: 'succeeded', error_code: '' }, 0)
  for (const code of [...STATUS_CODES, ...errorCodes]) {
    attempts.inc({ outcome: 'failed', error_code: code }, 0)
  }
  const duration = new Histogram({
    name: 'posthorn_attempt_duration_seconds',
    help: 'Durations of attempts, from the start of connecting to the end of the response.',
    labelNames: ['outcome'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20],
    registers,
  })
  for (const outcome of OUTCOMES) duration.zero({ outcome })
  const delay = new Histogram({
    name: 'posthorn_attempt_delay_seconds',
    help: 'How long after its time an attempt starts, without the time that its delivery waits for its webhook. It includes the difference between the clocks of the process and of Postgres.',
    buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1_800],
    registers,
  })

  return {
    started: (delayMs) => delay.observe(Math.max(0, delayMs) / 1_000),
    attempted(deliveryUuid, webhookUuid, attempt, after) {
      const { succeeded, status, errorCode, durationMs } = attempt
      const outcome = succeeded ? 'succeeded' : 'failed'
      attempts.inc({ outcome, error_code: succeeded ? '' : (errorCode ?? statusCode(status)) })
      duration.observe({ outcome }, durationMs / 1_000)
      count('deliveries_finished', 1, after.state)
      if (succeeded && !logger.isLevelEnabled('debug')) return
      const facts = {
        event: 'delivery.attempted',
        deliveryId: publicId('delivery', deliveryUuid),
        webhookId: publicId('webhook', webhookUuid),
        attempt: after.number,
        ...{ succeeded, status, errorCode },
        durationMs: Math.round(durationMs),
        state: after.state,
        nextAttemptAt: after.nextAttemptAt,
      }
      if (errorCode === 'secret_unreadable') logger.error(facts, UNREADABLE)
      else if (!succeeded) logger.info(facts, 'attempt failed')
      else logger.debug(facts, 'attempt succeeded')
    },
  }
}

function statusCode(status: number | null): string {
  const first = Math.floor((status ?? 500) / 100)
  return `http_${Math.min(Math.max(first, 3), 5)}xx`
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
export function createSweepReporter(logger: Logger, { count }: Metrics): ReportSweep {
  return (swept) => {
    for (const [kind, text] of Object.entries(TEXTS) as [keyof typeof TEXTS, string][]) {
      const { [kind]: ids = [] } = swept
      count('swept_deliveries', ids.length, kind)
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

interface Published {
  readonly deliveryCount: number
  readonly duplicate: boolean
}

/** Returns a function that publishes as `publish` does, and counts. */
export function measurePublishing<Args extends unknown[], Event extends Published>(
  { registry, count }: Metrics,
  publish: (...args: Args) => Promise<Event[]>,
): (...args: Args) => Promise<Event[]> {
  const duration = new Histogram({
    name: 'posthorn_publish_duration_seconds',
    help: 'Durations of calls that published, from the check of their events to the commit.',
    buckets: [0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers: [registry],
  })
  return async (...args) => {
    const startedAtMs = performance.now()
    const published = await publish(...args)
    duration.observe((performance.now() - startedAtMs) / 1_000)
    const duplicateCount = published.filter(({ duplicate }) => duplicate).length
    const deliveryCount = published.reduce((sum, event) => sum + event.deliveryCount, 0)
    count('events_published', published.length - duplicateCount)
    count('events_duplicate', duplicateCount)
    count('deliveries_created', deliveryCount)
    return published
  }
}
