import type { KeyObject } from 'node:crypto'
import { signDelivery } from '../../../packages/receiver/src/sign.ts'
import type { FairQueue } from '../../db/fair-queue.ts'
import { isDatabaseUnavailable } from '../../db/faults.ts'
import { publicId } from '../../db/ids.ts'
import type { HttpSender } from '../../outbound/http-sender.ts'
import type { Ended } from '../../outbound/outcome.ts'
import type { TaskRun } from '../../queue/jobs.ts'
import type { AttemptResult } from '../../scheduling/limited-webhook.ts'
import { type Permit, reasonToPark, type Scheduler } from '../../scheduling/scheduler.ts'
import type { Notify } from '../../streams/live/notify.ts'
import type { DeliveryReporter } from '../../telemetry/events.ts'
import type { TraceContext, Tracing } from '../../telemetry/tracing.ts'
import type { FindSendOptions, SendOptions } from '../../webhooks/send-options.ts'
import {
  type AttemptRecord,
  type PlannedAttempt,
  toAttemptRecord,
  type UnsentCode,
} from './attempt-record.ts'
import type { DeliveryJobs } from './delivery-jobs.ts'
import {
  type LoadBody,
  type LoadDelivery,
  type LoadedDelivery,
  MAX_AGE_MS,
  TOO_LARGE,
} from './load-delivery.ts'
import type { RecordAttempt, RecordedAttempt } from './record-attempt.ts'
import { waitMs } from './retry-policy.ts'
import { traceAttempt } from './trace-attempt.ts'

export interface AttemptDeps {
  readonly sender: HttpSender
  readonly headerPrefix: string
  readonly load: LoadDelivery
  readonly loadBody: LoadBody
  /** The bytes of the large payloads that are being sent. */
  readonly payloads: FairQueue
  readonly findSendOptions: FindSendOptions
  readonly scheduler: Scheduler
  readonly record: RecordAttempt
  readonly notify: Notify
  readonly jobs: DeliveryJobs
  readonly report: DeliveryReporter
  readonly tracing: Tracing
  readonly retryScheduleMs: readonly number[]
}

/**
 * Makes one attempt for a delivery: load, acquire a permit, sign, send, record. A receiver's failure is an outcome,
 * which schedules the next attempt. A thrown error is a fault of Posthorn, and graphile-worker runs the job again.
 */
export async function makeAttempt(deps: AttemptDeps, uuid: string, run: TaskRun): Promise<void> {
  try {
    await run.ensureClaimed()
    const loaded = await loadSendable(deps, uuid)
    if (!loaded) return
    const permit = await deps.scheduler.acquire(loaded.delivery, loaded.options, run.signal)
    if (permit === 'parked') return
    const attempted =
      permit === 'aborted' ? permit : await attemptWithPermit(deps, loaded, permit, run)
    // Nothing was sent. The scheduler parks the delivery or makes it wait.
    if (attempted === 'changed') return await makeAttempt(deps, uuid, run)
    // After a rescue, the job of the delivery belongs to another runner.
    await run.ensureClaimed()
    if (attempted === 'aborted') return await deps.jobs.requeue(uuid)
    const recorded = await deps.record(attempted)
    if (recorded) await publishResult(deps, loaded, attempted, recorded)
  } catch (error) {
    if (!run.signal.aborted && !isDatabaseUnavailable(error)) await deps.jobs.markFault(uuid)
    throw error
  }
}

interface Sendable {
  readonly delivery: LoadedDelivery
  readonly options: SendOptions
}

/** `null` if there is nothing to send: the delivery has finished or was canceled, or its webhook was deleted. */
async function loadSendable(deps: AttemptDeps, uuid: string): Promise<Sendable | null> {
  let delivery = await deps.load(uuid)
  if (delivery?.state === 'exhausted') {
    // The failed job of an exhausted delivery stays visible. Only an operator runs such a job again.
    await deps.jobs.reopen(uuid)
    delivery = await deps.load(uuid)
  }
  if (delivery?.state !== 'pending') return null
  // The job that the deletion added cancels the deliveries of the webhook.
  if (delivery.webhook === 'deleted') return null
  if (delivery.dataBytes === null) {
    await deps.jobs.cancel(delivery.id)
    return null
  }
  const options = await deps.findSendOptions(delivery.webhookId, delivery.revision)
  return options && { delivery, options }
}

/** `changed`: what was loaded is out of date. */
type NoAttempt = 'aborted' | 'changed'

/** Waits for memory if the payload is large. Then signs and sends. */
async function attemptWithPermit(
  deps: AttemptDeps,
  loaded: Sendable,
  permit: Permit,
  run: TaskRun,
): Promise<AttemptRecord | NoAttempt> {
  const { id, organizationId, data, dataBytes, readAt } = loaded.delivery
  const bytes = data === null ? (dataBytes ?? 0) : 0
  if (bytes > 0) await deps.payloads.acquire(organizationId, { amount: bytes })
  let result: AttemptResult | null = null
  try {
    if (run.signal.aborted) return 'aborted'
    const isFresh = performance.now() - readAt <= MAX_AGE_MS
    const sendable = isFresh ? loaded : await loadSendable(deps, id)
    if (!sendable || reasonToPark(sendable.delivery, sendable.options) !== null) return 'changed'
    const plan = planAttempt(deps, sendable, run)
    const send = (ownTrace: TraceContext | null) => sendAttempt(deps, plan, ownTrace, run)
    const attempted = deps.tracing.isOn
      ? await traceAttempt(deps.tracing, plan, send)
      : await send(null)
    if (typeof attempted === 'string') return attempted
    const { record, outcome, startedAt } = attempted
    if (outcome === null) return record
    result = { startedAt, durationMs: outcome.durationMs, kind: loadSignal(outcome) }
    const holdMs = waitMs(outcome, new Date())
    if (holdMs > 0) await deps.scheduler.hold(sendable.delivery, holdMs)
    return record
  } finally {
    permit.release(result)
    if (bytes > 0) deps.payloads.release(organizationId, bytes)
  }
}

function planAttempt(
  deps: AttemptDeps,
  { delivery, options }: Sendable,
  { runAt }: TaskRun,
): PlannedAttempt {
  return {
    delivery,
    options,
    headerPrefix: options.headerPrefix ?? deps.headerPrefix,
    isProbe: delivery.holdReason === 'failing' && delivery.isProbe,
    scheduleMs: delivery.sendsOnce ? [] : (options.retryScheduleMs ?? deps.retryScheduleMs),
    runAt,
    startedAt: new Date(),
  }
}

interface Attempted {
  readonly record: AttemptRecord
  /** Null: nothing was sent. */
  readonly outcome: Ended | null
  /** When the request was sent, by the clock of `performance.now`. */
  readonly startedAt: number
}

/** Its job runs in a queue of suspects after half of them: docs/concepts/reliability.md. */
const MAX_WORKER_DEATHS = 4

async function sendAttempt(
  deps: AttemptDeps,
  plan: PlannedAttempt,
  ownTrace: TraceContext | null,
  run: TaskRun,
): Promise<Attempted | NoAttempt> {
  const { delivery, options } = plan
  const startedAt = performance.now()
  const unsent = (code: UnsentCode) => {
    return { record: toAttemptRecord(plan, code), outcome: null, startedAt }
  }
  if (delivery.workerDeaths >= MAX_WORKER_DEATHS) return unsent('worker_died')
  const body = await deps.loadBody(delivery)
  // The event was deleted or erased meanwhile, and the delivery is canceled once it is loaded again.
  if (body === null) return 'changed'
  if (body === TOO_LARGE) return unsent('body_too_large')
  // The secret or the custom headers cannot be decrypted.
  if (options.signingKey === null) return unsent('secret_unreadable')
  const request = signRequest(deps.headerPrefix, options.signingKey, {
    startedAt: plan.startedAt,
    trace: ownTrace ?? delivery,
    isTest: delivery.isTest,
    messageId: publicId('delivery', delivery.id),
    body,
    customHeaders: options.headers,
    headerPrefix: plan.headerPrefix,
  })
  await run.ensureClaimed()
  deps.report.started(plan.startedAt.getTime() - run.runAt.getTime())
  const sentAt = performance.now()
  const outcome = await deps.sender.send({
    organizationId: delivery.organizationId,
    url: options.url,
    headers: request.headers,
    body,
    acknowledgeTimeoutMs: options.timeoutMs ?? undefined,
    signal: run.signal,
  })
  if (outcome.kind === 'aborted') return 'aborted'
  const sent = { ...request, ownTraceParent: ownTrace?.traceParent ?? null, outcome }
  return { record: toAttemptRecord(plan, sent), outcome, startedAt: sentAt }
}

interface UnsignedRequest {
  readonly trace: { readonly traceParent: string | null; readonly traceState: string | null }
  readonly isTest: boolean
  /** The value of the header with the id. */
  readonly messageId: string
  readonly body: Buffer
  readonly customHeaders: Readonly<Record<string, string>>
  /** The prefix of the headers of the id, the timestamp and the signature. */
  readonly headerPrefix: string
  readonly startedAt: Date
}

/**
 * The headers of a request. `installationPrefix` is that of the header that marks a test. `extraHeaderNames` are the names
 * of the custom headers, and of that header.
 */
export function signRequest(
  installationPrefix: string,
  key: KeyObject,
  { trace, isTest, messageId, body, customHeaders, headerPrefix, startedAt }: UnsignedRequest,
) {
  const testHeader = `${installationPrefix}test`
  const seconds = String(Math.floor(startedAt.getTime() / 1_000))
  const signature = signDelivery(key, messageId, seconds, body)
  const own: Record<string, string> = {
    'content-type': 'application/json',
    [`${headerPrefix}id`]: messageId,
    [`${headerPrefix}timestamp`]: seconds,
    [`${headerPrefix}signature`]: signature,
  }
  if (trace.traceParent !== null) {
    own['traceparent'] = trace.traceParent
    if (trace.traceState !== null) own['tracestate'] = trace.traceState
  }
  const headers: Record<string, string> = {}
  const extraHeaderNames: string[] = []
  for (const name of Object.keys(customHeaders)) {
    const lower = name.toLowerCase()
    // A receiver joins the values of a repeated header, in any case of its name, so the signature would not verify. Only
    // Posthorn marks a test.
    if (lower === testHeader || Object.hasOwn(own, lower)) continue
    headers[name] = customHeaders[name] as string
    extraHeaderNames.push(name)
  }
  Object.assign(headers, own)
  if (isTest) {
    headers[testHeader] = 'true'
    extraHeaderNames.push(testHeader)
  }
  return { headers, signature, extraHeaderNames }
}

/**
 * What an outcome says about the load of the endpoint. A 500 is neutral: it usually means a bug with some payloads, and
 * an endpoint that answers a tenth of its events with 500 would be throttled to a few in flight and fall behind.
 */
function loadSignal(outcome: Ended): AttemptResult['kind'] {
  if (outcome.kind === 'failed') return REFUSED.has(outcome.code) ? 'neutral' : 'overload'
  if (outcome.status === 500) return 'neutral'
  return isOverload(outcome.status) ? 'overload' : 'ok'
}

/** Posthorn sent nothing. */
const REFUSED: ReadonlySet<string> = new Set(['address_not_public', 'not_https', 'url_not_allowed'])

function isOverload(status: number): boolean {
  return status === 429 || status > 500
}

/**
 * Logs a recorded attempt, notifies subscribers, and lets the scheduler continue with the webhook's other deliveries.
 */
async function publishResult(
  deps: AttemptDeps,
  { delivery, options }: Sendable,
  record: AttemptRecord,
  recorded: RecordedAttempt,
): Promise<void> {
  const { webhookId, organizationId } = delivery
  const { succeeded } = record
  const { state, consecutiveFailures, failingMs } = recorded
  deps.report.attempted(delivery.id, webhookId, record, recorded)
  deps.notify(organizationId)
  await deps.scheduler.handleResult(delivery, options, {
    succeeded,
    finished: state !== 'pending',
    consecutiveFailures,
    failingMs,
  })
}
