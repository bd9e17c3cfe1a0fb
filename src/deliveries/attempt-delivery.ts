import { DomainError } from '../errors.ts'
import { parseId } from '../ids.ts'
import type { HttpSender } from '../outbound/http-sender.ts'
import type { Outcome } from '../outbound/outcome.ts'
import { signDelivery } from '../receiver/sign.ts'
import type { DeliveryReporter } from '../telemetry/events.ts'
import { USER_AGENT } from '../version.ts'
import type { FindSendOptions, SendOptions } from '../webhooks/send-options.ts'
import { describeOutcome } from './describe-outcome.ts'
import type { LoadDelivery, LoadedDelivery } from './load-delivery.ts'
import type { AttemptRecord, RecordAttempt } from './record-attempt.ts'
import { isSuccess, retryDelayMs } from './retry-policy.ts'

export interface AttemptDeps {
  readonly load: LoadDelivery
  readonly findSendOptions: FindSendOptions
  readonly sender: HttpSender
  readonly record: RecordAttempt
  /** Sets a delivery aside until its disabled webhook is enabled. */
  readonly setAside: (uuid: string) => Promise<void>
  /** Cancels what is owed to a deleted webhook, or can no longer be sent. */
  readonly cancel: (uuid: string) => Promise<void>
  readonly report: DeliveryReporter
  readonly retryScheduleMs: readonly number[]
  /** `wh-`, unless an operator chose another. */
  readonly headerPrefix: string
}

/**
 * Makes one attempt for a delivery: load, sign, send, record. A receiver that fails is an outcome and schedules the
 * next attempt; what is thrown is a fault of ours, and graphile-worker runs the job again.
 */
export async function attemptDelivery(
  deps: AttemptDeps,
  deliveryId: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  const uuid = parseId('delivery', deliveryId)
  if (uuid === null)
    throw new Error(`A job names ${JSON.stringify(deliveryId)}, which is no delivery's id.`)
  const delivery = await deps.load(uuid)
  // There is nothing to do where a job was repeated after the delivery was finished, or outlived it.
  if (delivery?.state !== 'pending') return
  if (delivery.webhook === 'disabled') return await deps.setAside(uuid)
  if (delivery.webhook === 'deleted' || delivery.body === null) return await deps.cancel(uuid)

  const options = await deps.findSendOptions(delivery.webhookUuid, delivery.revision)
  const startedAt = new Date()
  const request = signedRequest(deps.headerPrefix, deliveryId, delivery, options, startedAt)
  const outcome = await deps.sender.send({ ...request, ...(signal && { signal }) })
  // Ended by our own shutdown: not an attempt. The job goes back and another process makes it.
  if (outcome.kind === 'aborted') throw new DomainError('unavailable', 'Posthorn is shutting down.')

  const record = toRecord(uuid, delivery, request, startedAt, outcome, deps.retryScheduleMs)
  const recorded = await deps.record(record)
  if (recorded) deps.report.attempted(deliveryId, delivery.webhookUuid, record, recorded)
}

interface SignedRequest {
  readonly url: string
  readonly headers: Record<string, string>
  readonly body: Buffer
  readonly headerPrefix: string
  readonly signature: string
  readonly customHeaderNames: readonly string[]
}

function signedRequest(
  prefix: string,
  deliveryId: string,
  delivery: LoadedDelivery,
  options: SendOptions,
  startedAt: Date,
): SignedRequest {
  const body = Buffer.from(delivery.body as string)
  const timestamp = String(Math.floor(startedAt.getTime() / 1_000))
  const signature = signDelivery(options.signingKey, deliveryId, timestamp, body)
  const headers: Record<string, string> = {
    ...options.headers,
    'content-type': 'application/json',
    [`${prefix}id`]: deliveryId,
    [`${prefix}timestamp`]: timestamp,
    [`${prefix}signature`]: signature,
  }
  if (delivery.traceParent !== null) headers['traceparent'] = delivery.traceParent
  return {
    url: options.url,
    headers,
    body,
    headerPrefix: prefix,
    signature,
    customHeaderNames: Object.keys(options.headers),
  }
}

function toRecord(
  deliveryUuid: string,
  delivery: LoadedDelivery,
  request: SignedRequest,
  startedAt: Date,
  outcome: Exclude<Outcome, { kind: 'aborted' }>,
  scheduleMs: readonly number[],
): AttemptRecord {
  const succeeded = isSuccess(outcome)
  const answer = outcome.kind === 'answered' ? outcome : null
  const failure = describeOutcome(outcome)
  return {
    deliveryUuid,
    startedAt,
    succeeded,
    durationMs: outcome.durationMs,
    firstByteMs: answer?.firstByteMs ?? null,
    status: answer?.status ?? null,
    errorCode: failure?.code ?? null,
    error: failure?.reason ?? null,
    requestUrl: request.url,
    requestSignature: request.signature,
    requestHeaderNames: request.customHeaderNames,
    requestHeaderPrefix: request.headerPrefix,
    requestUserAgent: USER_AGENT,
    responseHeaders: answer?.headers ?? null,
    responseBody: answer?.body ?? null,
    responseBodyTruncated: answer ? answer.bodyTruncated : false,
    retryDelayMs: succeeded
      ? null
      : retryDelayMs(delivery.schedulePosition + 1, outcome, scheduleMs, new Date()),
  }
}
