import type { KeyObject } from 'node:crypto'
import { untilBack } from '../db/until-back.ts'
import { DomainError } from '../errors.ts'
import type { Candidate, Flow } from '../flow/flow.ts'
import { parseId } from '../ids.ts'
import type { HttpSender } from '../outbound/http-sender.ts'
import type { Outcome } from '../outbound/outcome.ts'
import { signDelivery } from '../receiver/sign.ts'
import type { DeliveryReporter } from '../telemetry/events.ts'
import { USER_AGENT } from '../version.ts'
import type { IsCurrent } from '../webhooks/is-current.ts'
import type { FindSendOptions, SendOptions } from '../webhooks/send-options.ts'
import { describeOutcome } from './describe-outcome.ts'
import type { LoadDelivery, LoadedDelivery } from './load-delivery.ts'
import type { AttemptRecord, RecordAttempt } from './record-attempt.ts'
import { isSuccess, retryDelayMs } from './retry-policy.ts'
import { unsentAttempt } from './unsent-attempt.ts'

export interface AttemptDeps {
  readonly load: LoadDelivery
  readonly findSendOptions: FindSendOptions
  readonly isCurrent: IsCurrent
  readonly sender: HttpSender
  readonly record: RecordAttempt
  /** Decides when it goes out. */
  readonly flow: Flow
  /** Cancels what is owed to a deleted webhook, or can no longer be sent. */
  readonly cancel: (uuid: string) => Promise<void>
  readonly report: DeliveryReporter
  readonly retryScheduleMs: readonly number[]
  /** `wh-`, unless an operator chose another. */
  readonly headerPrefix: string
  readonly now: () => Date
}

/**
 * Makes one attempt for a delivery, once its webhook has room: load, wait, sign, send, record. A receiver that fails is
 * an outcome and schedules the next attempt; what is thrown is a fault of ours, and graphile-worker runs the job again.
 */
export async function attemptDelivery(
  deps: AttemptDeps,
  deliveryId: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  const uuid = parseId('delivery', deliveryId)
  if (uuid === null)
    throw new Error(`A job names ${JSON.stringify(deliveryId)}, which is no delivery's id.`)
  const due = await loadDue(deps, uuid)
  if (!due) return
  const pass = await deps.flow.admit(due.candidate, due.options, signal)
  if (!pass) return

  let sent: Sent | null
  try {
    const current = await stillDue(deps, due, pass.waitedMs)
    await pass.ready()
    sent = current?.candidate.enabled ? await send(deps, deliveryId, current, signal) : null
  } finally {
    pass.leave()
  }
  if (!sent) return await attemptDelivery(deps, deliveryId, signal)

  const { record, candidate, options } = sent
  const recorded = await deps.record(record)
  if (!recorded) return
  deps.report.attempted(deliveryId, candidate.webhookId, record, recorded)
  const { consecutiveFailures, failingSince } = recorded
  const result = {
    succeeded: record.succeeded,
    finished: recorded.state !== 'pending',
    consecutiveFailures,
    failingSince,
  }
  // Not to be left to the job, which would begin with another attempt.
  await untilBack(() => deps.flow.attempted(candidate, options, result))
}

interface Due {
  readonly delivery: LoadedDelivery
  readonly options: SendOptions
  readonly candidate: Candidate
}

/** There is nothing to do where a job was repeated after the delivery was finished, or outlived it. */
async function loadDue(deps: AttemptDeps, uuid: string): Promise<Due | null> {
  const delivery = await deps.load(uuid)
  if (delivery?.state !== 'pending') return null
  if (delivery.webhook === 'deleted' || delivery.body === null) {
    await deps.cancel(uuid)
    return null
  }
  const options = await deps.findSendOptions(delivery.webhookId, delivery.revision)
  const candidate = { ...delivery, enabled: delivery.webhook === 'enabled' }
  return { delivery, options, candidate }
}

/** After a wait that nobody notices, a delivery counts as under way; but its webhook may have another secret by then. */
const UNNOTICED_MS = 100

async function stillDue(deps: AttemptDeps, due: Due, waitedMs: number): Promise<Due | null> {
  if (waitedMs === 0) return due
  const { id, webhookId, revision } = due.delivery
  if (waitedMs < UNNOTICED_MS && (await deps.isCurrent(webhookId, revision))) return due
  return await loadDue(deps, id)
}

interface Sent extends Due {
  readonly record: AttemptRecord
}

async function send(
  deps: AttemptDeps,
  deliveryId: string,
  due: Due,
  signal: AbortSignal | undefined,
): Promise<Sent> {
  const { delivery, options, candidate } = due
  const startedAt = deps.now()
  const scheduleMs = options.retryScheduleMs ?? deps.retryScheduleMs
  const isProbe = candidate.held && candidate.isProbe
  const { signingKey } = options
  if (signingKey === null) {
    const record = unsentAttempt(delivery.id, options, {
      startedAt,
      requestHeaderPrefix: deps.headerPrefix,
      retryDelayMs: nextDelayMs(delivery, null, scheduleMs, isProbe, startedAt),
      keepsSchedule: isProbe,
    })
    return { ...due, record }
  }
  const request = signedRequest(deps.headerPrefix, deliveryId, due, signingKey, startedAt)
  const acknowledgeTimeoutMs = options.timeoutMs ?? undefined
  const outcome = await deps.sender.send({ ...request, acknowledgeTimeoutMs, signal })
  // Ended by our own shutdown: not an attempt. The job goes back and another process makes it.
  if (outcome.kind === 'aborted') throw new DomainError('unavailable', 'Posthorn is shutting down.')
  const next = {
    retryDelayMs: nextDelayMs(delivery, outcome, scheduleMs, isProbe, deps.now()),
    keepsSchedule: isProbe,
  }
  return { ...due, record: toRecord(delivery, request, startedAt, outcome, next) }
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
  { delivery, options }: Due,
  signingKey: KeyObject,
  startedAt: Date,
): SignedRequest {
  const body = Buffer.from(delivery.body as string)
  const timestamp = String(Math.floor(startedAt.getTime() / 1_000))
  const signature = signDelivery(signingKey, deliveryId, timestamp, body)
  const own: Record<string, string> = {
    'content-type': 'application/json',
    [`${prefix}id`]: deliveryId,
    [`${prefix}timestamp`]: timestamp,
    [`${prefix}signature`]: signature,
  }
  if (delivery.traceParent !== null) own['traceparent'] = delivery.traceParent
  const custom = withoutNamesOf(own, options.headers)
  return {
    url: options.url,
    headers: { ...custom, ...own },
    body,
    headerPrefix: prefix,
    signature,
    customHeaderNames: Object.keys(custom),
  }
}

/** A header sent twice, in whatever case, is read as one with both values: nothing would verify. */
function withoutNamesOf(
  own: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const isOwn = (name: string) => Object.hasOwn(own, name.toLowerCase())
  if (!Object.keys(headers).some(isOwn)) return headers
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !isOwn(name)))
}

function toRecord(
  delivery: LoadedDelivery,
  request: SignedRequest,
  startedAt: Date,
  outcome: Exclude<Outcome, { kind: 'aborted' }>,
  { retryDelayMs, keepsSchedule }: Pick<AttemptRecord, 'retryDelayMs' | 'keepsSchedule'>,
): AttemptRecord {
  const succeeded = isSuccess(outcome)
  const answer = outcome.kind === 'answered' ? outcome : null
  const failure = describeOutcome(outcome)
  return {
    deliveryUuid: delivery.id,
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
    retryDelayMs: succeeded ? null : retryDelayMs,
    keepsSchedule,
  }
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
