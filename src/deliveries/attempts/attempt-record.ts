import { type FailureCode, reasonOf } from '../../outbound/failure-reasons.ts'
import type { Ended, Outcome } from '../../outbound/outcome.ts'
import type { SendOptions } from '../../webhooks/send-options.ts'
import type { LoadedDelivery } from './load-delivery.ts'
import { isSuccess, retryDelayMs } from './retry-policy.ts'

/** One attempt with its result and the next step of its delivery. */
export type AttemptRecord = Readonly<ReturnType<typeof toAttemptRecord>>

/** The next step of a delivery, unless the delivery changed during the attempt. A failed probe is parked again. */
export type NextStep =
  | { readonly kind: 'succeeded' | 'exhausted' | 'parked' }
  | { readonly kind: 'retry'; readonly delayMs: number }

/** An attempt before its request is sent. */
export interface PlannedAttempt {
  readonly delivery: LoadedDelivery
  readonly options: SendOptions
  /** Of the webhook, or of the installation. */
  readonly headerPrefix: string
  /** Whether the attempt tests a webhook whose circuit breaker is open. If it fails, it uses up no attempt of the schedule. */
  readonly isProbe: boolean
  readonly scheduleMs: readonly number[]
  /** When the delivery could be sent: since its creation, its release from a backlog, or the time of its retry. */
  readonly runAt: Date
  readonly startedAt: Date
}

/** A request that got an outcome. */
interface SentRequest {
  readonly signature: string
  /** The names of the custom headers, and of the header that marks a test. */
  readonly extraHeaderNames: readonly string[]
  /** The `traceparent` of the attempt. Null: that of the event. */
  readonly ownTraceParent: string | null
  readonly outcome: Ended
}

/**
 * Why nothing was sent: the signing secret or the custom headers cannot be decrypted, the body cannot be written, or the
 * attempt ends workers. A thrown error would stay invisible to the webhook's owner. A failed attempt is shown and retried,
 * but not if it ends workers.
 */
export type UnsentCode = 'secret_unreadable' | 'body_too_large' | 'worker_died'

/** The record of an attempt that ends now. */
export function toAttemptRecord(plan: PlannedAttempt, sent: SentRequest | UnsentCode) {
  const { delivery, options, isProbe, scheduleMs } = plan
  const used = delivery.schedulePosition + (isProbe ? 0 : 1)
  const outcome = typeof sent === 'string' ? null : sent.outcome
  const request = typeof sent === 'string' ? null : sent
  const failure = failureOf(sent)
  const succeeded = outcome !== null && isSuccess(outcome)
  const endsWorkers = sent === 'worker_died'
  const answer = outcome?.kind === 'answered' ? outcome : null
  const keepsBody = delivery.keepsResponseBody
  return {
    deliveryUuid: delivery.id,
    /**
     * The delivery's attempts when this one began. If there are more now, another worker has scheduled the next attempt.
     */
    attemptsBefore: delivery.attemptCount,
    startedAt: plan.startedAt,
    /** The time from when the delivery could be sent to this attempt. */
    queuedMs: Math.max(0, plan.startedAt.getTime() - plan.runAt.getTime()),
    succeeded,
    durationMs: outcome?.durationMs ?? 0,
    firstByteMs: answer?.firstByteMs ?? null,
    resent: outcome?.resent ?? false,
    connection: outcome?.connection ?? null,
    status: answer?.status ?? null,
    errorCode: failure?.code ?? null,
    error: failure?.reason ?? null,
    /** The failure and the origin, such as `HTTP 503 from https://hooks.example.com`. Null after a success. */
    summary: succeeded ? null : summarize(options.url, answer, failure),
    requestUrl: options.requestedUrl,
    requestSignature: request?.signature ?? null,
    requestHeaderPrefix: plan.headerPrefix,
    requestHeaderNames: request?.extraHeaderNames ?? [],
    /** Null: that of the event. */
    requestTraceParent: request?.ownTraceParent ?? null,
    responseHeaders: answer?.headers ?? null,
    responseBody: keepsBody ? (answer?.body ?? null) : null,
    responseBodyTruncated: answer?.bodyTruncated ?? false,
    /** The size of the response body as far as it was read, if it is not kept. */
    unkeptBodyBytes: keepsBody ? null : (answer?.body.length ?? null),
    keepsPayload: delivery.keepsPayload,
    next: nextStep(plan, outcome, endsWorkers),
    /** Attempts left in the retry schedule after this one. */
    retriesLeft: endsWorkers ? 0 : Math.max(0, scheduleMs.length + 1 - used),
    scheduleLength: scheduleMs.length,
    ordered: options.ordered,
  }
}

interface Failure {
  readonly code: FailureCode
  readonly reason: string
}

/** Null: there was a response. */
function failureOf(sent: SentRequest | UnsentCode): Failure | null {
  if (typeof sent === 'string') return { code: sent, reason: reasonOf(sent) }
  return sent.outcome.kind === 'failed' ? sent.outcome : null
}

function nextStep(
  { delivery, isProbe, scheduleMs }: PlannedAttempt,
  outcome: Outcome | null,
  endsWorkers: boolean,
): NextStep {
  if (endsWorkers) return { kind: 'exhausted' }
  if (outcome !== null && isSuccess(outcome)) return { kind: 'succeeded' }
  if (isProbe) return { kind: 'parked' }
  const delayMs = retryDelayMs(delivery.schedulePosition + 1, outcome, scheduleMs, new Date())
  return delayMs === null ? { kind: 'exhausted' } : { kind: 'retry', delayMs }
}

/** Shows the origin alone, because a path can contain a token. */
function summarize(
  url: string,
  answer: { readonly status: number } | null,
  failure: Failure | null,
): string {
  const result = answer ? `HTTP ${answer.status}` : (failure?.code ?? 'failed')
  return `${result} from ${URL.parse(url)?.origin ?? 'an unreadable URL'}`
}
