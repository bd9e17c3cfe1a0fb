import { untilBack } from '../db/until-back.ts'
import { DomainError } from '../errors.ts'
import type { Attempted, Flow } from '../flow/flow.ts'
import { parseId } from '../ids.ts'
import type { Announce } from '../live/announce.ts'
import type { Happening } from '../live/happening.ts'
import type { HttpSender } from '../outbound/http-sender.ts'
import type { Outcome } from '../outbound/outcome.ts'
import type { DeliveryReporter } from '../telemetry/events.ts'
import type { IsCurrent } from '../webhooks/is-current.ts'
import type { FindSendOptions, SendOptions } from '../webhooks/send-options.ts'
import { describeOutcome } from './describe-outcome.ts'
import type { LoadDelivery, LoadedDelivery } from './load-delivery.ts'
import type { AttemptRecord, RecordAttempt, RecordedAttempt } from './record-attempt.ts'
import { isSuccess, retryDelayMs } from './retry-policy.ts'
import { type DeliveryHeaderNames, type SignedRequest, signRequest } from './signed-request.ts'
import { unsentAttempt } from './unsent-attempt.ts'

export interface AttemptDeps {
  readonly load: LoadDelivery
  readonly findSendOptions: FindSendOptions
  readonly isCurrent: IsCurrent
  readonly sender: HttpSender
  readonly record: RecordAttempt
  readonly announce: Announce
  /** Decides when it goes out. */
  readonly flow: Flow
  /** Cancels what is owed to a deleted webhook, or can no longer be sent. */
  readonly cancel: (uuid: string) => Promise<void>
  readonly report: DeliveryReporter
  readonly retryScheduleMs: readonly number[]
  readonly headerNames: DeliveryHeaderNames
  readonly now: () => Date
}

/**
 * Makes one attempt for a delivery, once its webhook has room: load where it is not at hand, wait, sign, send, record. A
 * receiver that fails is an outcome and schedules the next attempt; what is thrown is a fault of ours, and
 * graphile-worker runs the job again.
 *
 * Thousands a second come through here, and every promise costs: what is known already is not awaited.
 */
export async function attemptDelivery(
  deps: AttemptDeps,
  deliveryId: string,
  signal: AbortSignal | undefined,
  atHand: LoadedDelivery | null = null,
): Promise<void> {
  const uuid = parseId('delivery', deliveryId)
  if (uuid === null)
    throw new Error(`A job names ${JSON.stringify(deliveryId)}, which is no delivery's id.`)
  // There is nothing to do where a job was repeated after the delivery was finished, or outlived it.
  const delivery = atHand ?? (await deps.load(uuid))
  if (!delivery) return
  const found = withOptions(deps, delivery)
  const due = found instanceof Promise ? await found : found
  if (!due) return
  const admission = deps.flow.admit(due.delivery, due.options, signal)
  const pass = admission instanceof Promise ? await admission : admission
  if (!pass) return

  let sent: Sent | null
  try {
    const still = pass.waitedMs === 0 ? due : stillDue(deps, due, pass.waitedMs)
    const current = still instanceof Promise ? await still : still
    if (pass.ready) await pass.ready()
    sent = isEnabled(current) ? await send(deps, deliveryId, current, signal) : null
  } finally {
    pass.leave()
  }
  if (!sent) return await attemptDelivery(deps, deliveryId, signal)
  const recorded = await deps.record(sent.record)
  const consequences = recorded && settle(deps, deliveryId, sent, recorded)
  if (consequences) await consequences
}

interface Due {
  readonly delivery: LoadedDelivery & { readonly body: string }
  readonly options: SendOptions
}

async function loadDue(deps: AttemptDeps, uuid: string): Promise<Due | null> {
  const delivery = await deps.load(uuid)
  return delivery && withOptions(deps, delivery)
}

function withOptions(
  deps: AttemptDeps,
  delivery: LoadedDelivery,
): Due | null | Promise<Due | null> {
  if (delivery.state !== 'pending') return null
  if (delivery.webhook === 'deleted' || !hasBody(delivery)) {
    return deps.cancel(delivery.id).then(() => null)
  }
  const options = deps.findSendOptions(delivery.webhookId, delivery.revision)
  if (!(options instanceof Promise)) return { delivery, options }
  return options.then((found) => ({ delivery, options: found }))
}

function hasBody(delivery: LoadedDelivery): delivery is Due['delivery'] {
  return delivery.body !== null
}

/** After a wait that nobody notices, a delivery counts as under way; but its webhook may have another secret by then. */
const UNNOTICED_MS = 100

function stillDue(deps: AttemptDeps, due: Due, waitedMs: number): Due | Promise<Due | null> {
  const { id, webhookId, revision } = due.delivery
  const isCurrent = waitedMs < UNNOTICED_MS && deps.isCurrent(webhookId, revision)
  if (isCurrent === true) return due
  if (isCurrent === false) return loadDue(deps, id)
  return isCurrent.then((current) => (current ? due : loadDue(deps, id)))
}

function isEnabled(due: Due | null): due is Due {
  return due?.delivery.webhook === 'enabled'
}

/** What matters of an attempt once it was made. Its body does not, so that it is let go of. */
interface Sent {
  readonly record: AttemptRecord
  readonly attempted: Attempted
  readonly options: SendOptions
}

async function send(
  deps: AttemptDeps,
  deliveryId: string,
  { delivery, options }: Due,
  signal: AbortSignal | undefined,
): Promise<Sent> {
  const { id, webhookId, organizationId, held, isProbe } = delivery
  const attempted = { id, webhookId, organizationId, held, isProbe }
  const startedAt = deps.now()
  const scheduleMs = options.retryScheduleMs ?? deps.retryScheduleMs
  const keepsSchedule = held && isProbe
  const isAwaited = options.ordered
  const { signingKey } = options
  if (signingKey === null) {
    const record = unsentAttempt(id, options, {
      startedAt,
      retryDelayMs: nextDelayMs(delivery, null, scheduleMs, keepsSchedule, startedAt),
      keepsSchedule,
      isAwaited,
    })
    return { record, attempted, options }
  }
  const request = signRequest(deps.headerNames, signingKey, {
    deliveryId,
    body: delivery.body,
    traceParent: delivery.traceParent,
    url: options.url,
    customHeaders: options.headers,
    startedAt,
  })
  const acknowledgeTimeoutMs = options.timeoutMs ?? undefined
  const { url, headers, body } = request
  const outcome = await deps.sender.send({
    organizationId,
    url,
    headers,
    body,
    acknowledgeTimeoutMs,
    signal,
  })
  // Ended by our own shutdown: not an attempt. The job goes back and another process makes it.
  if (outcome.kind === 'aborted') throw new DomainError('unavailable', 'Posthorn is shutting down.')
  const retryDelayMs = nextDelayMs(delivery, outcome, scheduleMs, keepsSchedule, deps.now())
  const record = toRecord(id, request, startedAt, outcome, {
    retryDelayMs,
    keepsSchedule,
    isAwaited,
  })
  return { record, attempted, options }
}

function toRecord(
  deliveryUuid: string,
  request: SignedRequest,
  startedAt: Date,
  outcome: Exclude<Outcome, { kind: 'aborted' }>,
  how: Pick<AttemptRecord, 'retryDelayMs' | 'keepsSchedule' | 'isAwaited'>,
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
    responseHeaders: answer?.headers ?? null,
    responseBody: answer?.body ?? null,
    responseBodyTruncated: answer ? answer.bodyTruncated : false,
    resent: outcome.resent,
    waitedMs: outcome.waitedMs,
    retryDelayMs: succeeded ? null : how.retryDelayMs,
    keepsSchedule: how.keepsSchedule,
    isAwaited: how.isAwaited,
  }
}

/** Tells of an attempt that is on record. Answers what is to be waited for where it concerns others of its webhook. */
function settle(
  deps: AttemptDeps,
  deliveryId: string,
  { record, attempted, options }: Sent,
  recorded: RecordedAttempt,
): Promise<void> | null {
  deps.report.attempted(deliveryId, attempted.webhookId, record, recorded)
  deps.announce([toHappening(attempted, record, recorded)])
  const { consecutiveFailures, failingSince } = recorded
  const { succeeded } = record
  const finished = recorded.state !== 'pending'
  const result = { succeeded, finished, consecutiveFailures, failingSince }
  if (!deps.flow.concerns(attempted, options, result)) return null
  // Not to be left to the job, which would begin with another attempt.
  return untilBack(() => deps.flow.attempted(attempted, options, result))
}

function toHappening(
  { id: deliveryId, organizationId, webhookId }: Attempted,
  { succeeded }: AttemptRecord,
  { attemptId, state }: RecordedAttempt,
): Happening {
  const finished = state === 'succeeded' || state === 'exhausted'
  return { kind: 'attempt', organizationId, webhookId, deliveryId, attemptId, succeeded, finished }
}

/** A probe that failed goes back into the line; this is for when its process is killed just then. */
const PROBE_RETRY_DELAY_MS = 60_000

function nextDelayMs(
  { schedulePosition }: LoadedDelivery,
  outcome: Outcome | null,
  scheduleMs: readonly number[],
  isProbe: boolean,
  now: Date,
): number | null {
  if (isProbe) return PROBE_RETRY_DELAY_MS
  return retryDelayMs(schedulePosition + 1, outcome, scheduleMs, now)
}
